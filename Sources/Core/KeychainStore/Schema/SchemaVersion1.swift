extension Schema {
    /// The schema of version 1, as every keychain of that version has it. It is never changed: a later version is a
    /// step that leads on from here.
    static let version1 = """
        CREATE TABLE header (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        content BLOB NOT NULL,
        code BLOB NOT NULL
        );

        CREATE TABLE usage (
        pdmn INTEGER PRIMARY KEY,
        seals INTEGER NOT NULL CHECK (seals < 4294967296)
        );

        CREATE TABLE genp (
        id INTEGER PRIMARY KEY,
        uuid BLOB NOT NULL UNIQUE,
        version BLOB NOT NULL,
        agrp BLOB NOT NULL,
        pdmn INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        tomb INTEGER NOT NULL,
        accc BLOB NOT NULL,
        aside INTEGER NOT NULL DEFAULT 0,
        b_cdat BLOB,
        b_mdat BLOB,
        b_labl BLOB,
        b_alis BLOB,
        b_vwht BLOB NOT NULL,
        b_tkid BLOB NOT NULL,
        b_ggrp BLOB NOT NULL,
        b_musr BLOB NOT NULL,
        b_sysb BLOB,
        b_pcss BLOB,
        b_pcsk BLOB,
        b_pcsi BLOB,
        b_svce BLOB NOT NULL,
        b_acct BLOB NOT NULL,
        b_gena BLOB,
        b_desc BLOB,
        b_icmt BLOB,
        b_crtr BLOB,
        b_type BLOB,
        b_scrp BLOB,
        b_invi BLOB,
        b_nega BLOB,
        b_cusi BLOB,
        b_prot BLOB,
        metadata BLOB NOT NULL,
        key BLOB NOT NULL,
        secret BLOB NOT NULL,
        UNIQUE (b_svce, b_acct, agrp, sync, b_vwht, b_tkid, b_ggrp, b_musr, aside)
        );

        CREATE INDEX genp_labl ON genp (b_labl);

        CREATE INDEX genp_acct ON genp (b_acct);

        CREATE TABLE inet (
        id INTEGER PRIMARY KEY,
        uuid BLOB NOT NULL UNIQUE,
        version BLOB NOT NULL,
        agrp BLOB NOT NULL,
        pdmn INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        tomb INTEGER NOT NULL,
        accc BLOB NOT NULL,
        aside INTEGER NOT NULL DEFAULT 0,
        b_cdat BLOB,
        b_mdat BLOB,
        b_labl BLOB,
        b_alis BLOB,
        b_vwht BLOB NOT NULL,
        b_tkid BLOB NOT NULL,
        b_ggrp BLOB NOT NULL,
        b_musr BLOB NOT NULL,
        b_sysb BLOB,
        b_pcss BLOB,
        b_pcsk BLOB,
        b_pcsi BLOB,
        b_srvr BLOB NOT NULL,
        b_acct BLOB NOT NULL,
        b_sdmn BLOB NOT NULL,
        b_ptcl BLOB NOT NULL,
        b_atyp BLOB NOT NULL,
        b_port BLOB NOT NULL,
        b_path BLOB NOT NULL,
        b_desc BLOB,
        b_icmt BLOB,
        b_crtr BLOB,
        b_type BLOB,
        b_scrp BLOB,
        b_invi BLOB,
        b_nega BLOB,
        b_cusi BLOB,
        b_prot BLOB,
        metadata BLOB NOT NULL,
        key BLOB NOT NULL,
        secret BLOB NOT NULL,
        UNIQUE (b_srvr, b_acct, b_sdmn, b_ptcl, b_atyp, b_port, b_path, agrp, sync, b_vwht, b_tkid, b_ggrp, \
        b_musr, aside)
        );

        CREATE INDEX inet_labl ON inet (b_labl);

        CREATE INDEX inet_acct ON inet (b_acct);

        CREATE TABLE cert (
        id INTEGER PRIMARY KEY,
        uuid BLOB NOT NULL UNIQUE,
        version BLOB NOT NULL,
        agrp BLOB NOT NULL,
        pdmn INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        tomb INTEGER NOT NULL,
        accc BLOB NOT NULL,
        aside INTEGER NOT NULL DEFAULT 0,
        b_cdat BLOB,
        b_mdat BLOB,
        b_labl BLOB,
        b_alis BLOB,
        b_vwht BLOB NOT NULL,
        b_tkid BLOB NOT NULL,
        b_ggrp BLOB NOT NULL,
        b_musr BLOB NOT NULL,
        b_sysb BLOB,
        b_pcss BLOB,
        b_pcsk BLOB,
        b_pcsi BLOB,
        b_issr BLOB NOT NULL,
        b_slnr BLOB NOT NULL,
        b_ctyp BLOB NOT NULL,
        b_cenc BLOB,
        b_subj BLOB,
        b_skid BLOB,
        b_pkhh BLOB,
        metadata BLOB NOT NULL,
        key BLOB NOT NULL,
        secret BLOB NOT NULL,
        UNIQUE (b_issr, b_slnr, b_ctyp, agrp, sync, b_vwht, b_tkid, b_ggrp, b_musr, aside)
        );

        CREATE INDEX cert_labl ON cert (b_labl);

        CREATE INDEX cert_subj ON cert (b_subj);

        CREATE INDEX cert_skid ON cert (b_skid);

        CREATE INDEX cert_pkhh ON cert (b_pkhh);

        CREATE TABLE keys (
        id INTEGER PRIMARY KEY,
        uuid BLOB NOT NULL UNIQUE,
        version BLOB NOT NULL,
        agrp BLOB NOT NULL,
        pdmn INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        tomb INTEGER NOT NULL,
        accc BLOB NOT NULL,
        aside INTEGER NOT NULL DEFAULT 0,
        b_cdat BLOB,
        b_mdat BLOB,
        b_labl BLOB,
        b_alis BLOB,
        b_vwht BLOB NOT NULL,
        b_tkid BLOB NOT NULL,
        b_ggrp BLOB NOT NULL,
        b_musr BLOB NOT NULL,
        b_sysb BLOB,
        b_pcss BLOB,
        b_pcsk BLOB,
        b_pcsi BLOB,
        b_klbl BLOB NOT NULL,
        b_atag BLOB NOT NULL,
        b_kcls BLOB NOT NULL,
        b_crtr BLOB NOT NULL,
        b_type BLOB NOT NULL,
        b_bsiz BLOB NOT NULL,
        b_esiz BLOB NOT NULL,
        b_sdat BLOB NOT NULL,
        b_edat BLOB NOT NULL,
        b_perm BLOB,
        b_priv BLOB,
        b_modi BLOB,
        b_sens BLOB,
        b_asen BLOB,
        b_extr BLOB,
        b_next BLOB,
        b_encr BLOB,
        b_decr BLOB,
        b_drve BLOB,
        b_sign BLOB,
        b_vrfy BLOB,
        b_snrc BLOB,
        b_vyrc BLOB,
        b_wrap BLOB,
        b_unwp BLOB,
        metadata BLOB NOT NULL,
        key BLOB NOT NULL,
        secret BLOB NOT NULL,
        UNIQUE (b_klbl, b_atag, b_kcls, b_crtr, b_type, b_bsiz, b_esiz, b_sdat, b_edat, agrp, sync, b_vwht, \
        b_tkid, b_ggrp, b_musr, aside)
        );

        CREATE INDEX keys_labl ON keys (b_labl);

        CREATE INDEX keys_atag ON keys (b_atag);

        INSERT INTO usage (pdmn, seals) VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0);
        """
}
