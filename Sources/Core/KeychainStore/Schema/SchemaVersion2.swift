extension Schema {
    /// What leads from version 1 to version 2: what a keychain knows of the circle of devices that it belongs to, and the versions
    /// of shared items that were replaced.
    ///
    /// The indexes say `sync <> 0`, and not `sync = 1`: to know whether it may use that one, SQLite prepares a question with `sync = ?`
    /// anew for each value.
    static let version2 = """
        CREATE TABLE circle (
        key BLOB PRIMARY KEY,
        value BLOB NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE segment (
        id INTEGER PRIMARY KEY,
        journal BLOB NOT NULL,
        number INTEGER NOT NULL,
        hash BLOB NOT NULL,
        value BLOB NOT NULL,
        UNIQUE (journal, number)
        );

        CREATE TABLE shared (
        class TEXT NOT NULL,
        uuid BLOB NOT NULL,
        version BLOB NOT NULL,
        name BLOB NOT NULL,
        code BLOB NOT NULL,
        PRIMARY KEY (class, uuid)
        ) WITHOUT ROWID;

        CREATE INDEX shared_name ON shared (name);

        CREATE TABLE gone (
        class TEXT NOT NULL,
        uuid BLOB NOT NULL,
        time INTEGER NOT NULL,
        code BLOB NOT NULL,
        PRIMARY KEY (class, uuid)
        ) WITHOUT ROWID;

        CREATE TABLE past (
        id INTEGER PRIMARY KEY,
        class TEXT NOT NULL,
        uuid BLOB NOT NULL,
        reason INTEGER NOT NULL,
        time INTEGER NOT NULL,
        version BLOB NOT NULL,
        agrp BLOB NOT NULL,
        pdmn INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        accc BLOB NOT NULL,
        blind BLOB NOT NULL,
        metadata BLOB NOT NULL,
        key BLOB NOT NULL,
        secret BLOB NOT NULL
        );

        CREATE INDEX past_uuid ON past (class, uuid);

        CREATE INDEX past_time ON past (time);

        CREATE INDEX genp_sync ON genp (uuid, version, aside, sync) WHERE sync <> 0;

        CREATE INDEX inet_sync ON inet (uuid, version, aside, sync) WHERE sync <> 0;

        CREATE INDEX cert_sync ON cert (uuid, version, aside, sync) WHERE sync <> 0;

        CREATE INDEX keys_sync ON keys (uuid, version, aside, sync) WHERE sync <> 0;
        """
}
