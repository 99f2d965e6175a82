#!/usr/bin/env python3
"""Plays a browser, a web site and other clients of a FIDO2 device at a UNIX socket.

Prints one JSON object. Exits with 0 if the site verified the ceremony, or the device did what the
verb asks. Otherwise prints {"error": ..., "code": ...} and exits with 1.
"""

import argparse
import json
import os
import signal
import struct
import sys
import threading
import time

sys.dont_write_bytecode = True

from cryptography.exceptions import InvalidSignature
from fido2 import cbor
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.cose import CoseKey
from fido2.ctap import CtapError
from fido2.ctap2 import Ctap2, CredentialManagement
from fido2.ctap2.extensions import (
    CredBlobExtension,
    CredPropsExtension,
    CredProtectExtension,
    HmacSecretExtension,
    MinPinLengthExtension,
)
from fido2.ctap2.pin import ClientPin, PinProtocolV1, PinProtocolV2
from fido2.hid import CTAPHID, TYPE_INIT
from fido2.utils import sha256
from fido2.webauthn import (
    CollectedClientData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
)

from relying_party import ALGORITHMS, RelyingParty, Store, encoded
from socket_device import REPORT_SIZE, SocketConnection, SocketDevice, readable, status_name

INFO_NAMES = {
    1: "versions",
    2: "extensions",
    3: "aaguid",
    4: "options",
    5: "maxMsgSize",
    6: "pinUvAuthProtocols",
    7: "maxCredentialCountInList",
    8: "maxCredentialIdLength",
    9: "transports",
    10: "algorithms",
    11: "maxSerializedLargeBlobArray",
    12: "forcePINChange",
    13: "minPINLength",
    14: "firmwareVersion",
    15: "maxCredBlobLength",
    16: "maxRPIDsForSetMinPINLength",
    17: "preferredPlatformUvAttempts",
    18: "uvModality",
    19: "certifications",
    20: "remainingDiscoverableCredentials",
    21: "vendorPrototypeConfigCommands",
    22: "attestationFormats",
    23: "uvCountSinceLastPinEntry",
    24: "longTouchForReset",
}
POLICIES = list(CredProtectExtension.POLICY)


class Timeout(Exception):
    """The time of --timeout is up."""


class Unexpected(Exception):
    """The device did something else than the verb expects."""


class NobodyAsks(UserInteraction):
    """Lets the device verify the user. Asks nothing itself."""

    def prompt_up(self):
        pass

    def request_uv(self, permissions, rp_id):
        return True


class Session:
    """The options of one run, and the devices that it opened."""

    def __init__(self, options):
        self.options = options
        self.deadline = time.monotonic() + options.timeout
        self.store = Store(options.state)
        self.devices = []

    @property
    def ceremony_timeout(self):
        """Milliseconds. Ends before the deadline, so that the client can cancel."""
        return max(200, int((self.deadline - time.monotonic()) * 800))

    def open(self):
        device = SocketDevice(self.options.socket, self.deadline, self.options.trace)
        self.devices.append(device)
        return device

    def sent(self):
        """The commands that the devices got, and those during which they waited for the user."""
        return {
            "commands": [name for device in self.devices for name in device.commands],
            "waits": [name for device in self.devices for name in device.waits],
        }

    def connect(self):
        return SocketConnection(self.options.socket, self.deadline)

    def ctap(self):
        return Ctap2(self.open())

    def browser(self, site, device):
        return Fido2Client(
            device,
            DefaultClientDataCollector(f"https://{site}"),
            NobodyAsks(),
            [
                HmacSecretExtension(allow_hmac_secret=True),
                CredBlobExtension(),
                CredProtectExtension(),
                MinPinLengthExtension(),
                CredPropsExtension(),
            ],
        )

    def party(self, site, rp_id=None):
        return RelyingParty(self.store, rp_id or site, site)


def pin_protocol(ctap):
    return ClientPin(ctap).protocol


def uv_token(ctap, permissions, rp_id, event=None):
    pin = ClientPin(ctap)
    return pin.protocol, pin.get_uv_token(permissions, rp_id, event)


def hexadecimal(data):
    return None if data is None else bytes(data).hex()


def secrets_of(output):
    """The two values of a PRF or hmac-secret output."""
    if output is None:
        return None
    first, second = (
        (output.first, output.second)
        if hasattr(output, "first")
        else (output.output1, output.output2)
    )
    return {"first": hexadecimal(first), "second": hexadecimal(second) or None}


# What devices can do


def info(session):
    device = session.open()
    ctap = Ctap2(device)
    described = ctap.send_cbor(Ctap2.CMD.GET_INFO)
    result = {INFO_NAMES.get(key, str(key)): readable(value) for key, value in described.items()}
    result["hid"] = {
        "version": device.version,
        "deviceVersion": list(device.device_version),
        "capabilities": int(device.capabilities),
    }
    return result


def selection(session):
    session.ctap().selection()
    return {"ok": True}


def reset(session):
    session.ctap().reset()
    return {"ok": True}


def retries(session):
    return {"uvRetries": ClientPin(session.ctap()).get_uv_retries()}


def ping(session):
    data = os.urandom(session.options.size)
    if session.open().ping(data) != data:
        raise Unexpected("the answer to a ping is another message")
    return {"ok": True, "size": len(data)}


# Ceremonies


def register(session):
    options = session.options
    party = session.party(options.site, options.rp_id)
    request = party.registration_options(
        options.user,
        user_id=options.user_id,
        display=options.display,
        resident=options.resident,
        uv=options.uv,
        exclude=options.exclude,
        exclude_many=options.exclude_many,
        algorithms=options.algorithm or list(ALGORITHMS),
        attestation="enterprise" if options.enterprise else options.attestation,
        timeout=session.ceremony_timeout,
    )
    extensions = {"credProps": True}
    if options.prf or options.prf_eval:
        extensions["prf"] = {}
    if options.prf_eval:
        extensions["prf"]["eval"] = evaluation(options.prf_eval)
    if options.hmac_salt:
        extensions["hmacCreateSecret"] = True
        extensions["hmacGetSecret"] = {"salt1": options.hmac_salt}
    if options.cred_protect:
        extensions["credentialProtectionPolicy"] = POLICIES[options.cred_protect - 1].value
        extensions["enforceCredentialProtectionPolicy"] = True
    if options.cred_blob is not None:
        extensions["credBlob"] = options.cred_blob
    request["extensions"] = extensions

    device = session.open()
    client = session.browser(options.site, device)
    response = client.make_credential(PublicKeyCredentialCreationOptions.from_dict(request))
    resident = bool(response.client_extension_results.cred_props.rk)
    verified = party.finish_registration(
        {
            "id": response.id,
            "rawId": encoded(response.raw_id),
            "type": "public-key",
            "response": {
                "clientDataJSON": encoded(response.response.client_data),
                "attestationObject": encoded(response.response.attestation_object),
            },
        },
        resident,
    )
    attested = response.response.attestation_object
    key = CoseKey.parse(cbor.decode(verified.credential_public_key))
    results = response.client_extension_results
    result = {
        "verified": True,
        "credential": verified.credential_id.hex(),
        "user": options.user,
        "userId": party.user_id.hex(),
        "algorithm": key[3],
        "aaguid": bytes(attested.auth_data.credential_data.aaguid).hex(),
        "format": attested.fmt,
        "flags": int(attested.auth_data.flags),
        "userVerified": verified.user_verified,
        "signCount": verified.sign_count,
        "multiDevice": bool(attested.auth_data.is_backup_eligible()),
        "backedUp": verified.credential_backed_up,
        "resident": resident,
        "extensions": readable(attested.auth_data.extensions or {}),
    }
    if results.prf:
        result["prf"] = {"enabled": results.prf.enabled, **(secrets_of(results.prf.results) or {})}
    if results.hmac_create_secret is not None:
        result["hmac"] = {
            "enabled": results.hmac_create_secret,
            **(secrets_of(results.hmac_get_secret) or {}),
        }
    return result


def evaluation(values):
    return {"first": values[0], **({"second": values[1]} if len(values) > 1 else {})}


def authentication_extensions(options):
    extensions = {}
    if options.prf:
        extensions["prf"] = {"eval": evaluation(options.prf)}
    if options.hmac:
        extensions["hmacGetSecret"] = {
            f"salt{number}": salt for number, salt in enumerate(options.hmac, 1)
        }
    if options.get_cred_blob:
        extensions["getCredBlob"] = True
    return extensions


def login(session):
    options = session.options
    party = session.party(options.site, options.rp_id)
    asked = party
    if options.rp_id and options.user is not None and options.user not in party.users:
        # The account is the site's own, and another RP id is asked for it.
        asked = session.party(options.site)
    request = asked.authentication_options(
        options.user,
        uv=options.uv,
        allow_many=options.allow_many,
        timeout=session.ceremony_timeout,
    )
    request["rpId"] = party.rp_id
    request["extensions"] = authentication_extensions(options)
    device = session.open()
    client = session.browser(options.site, device)
    wanted = PublicKeyCredentialRequestOptions.from_dict(request)
    try:
        selection = client.get_assertion(wanted)
    except ClientError as error:
        if options.rp_id and error.code == ClientError.ERR.BAD_REQUEST and error.cause is None:
            return forced_login(session, device, asked, wanted)
        raise
    assertions = selection.get_assertions()
    if not 0 <= options.choose < len(assertions):
        raise Unexpected(f"the device gave {len(assertions)} assertions")
    response = selection.get_response(options.choose)
    name, verified = asked.finish_authentication(authentication_json(response))
    data = response.response.authenticator_data
    results = response.client_extension_results
    result = {
        "verified": True,
        "user": name,
        "credential": verified.credential_id.hex(),
        "flags": int(data.flags),
        "userVerified": verified.user_verified,
        "signCount": verified.new_sign_count,
        "multiDevice": bool(data.is_backup_eligible()),
        "backedUp": verified.credential_backed_up,
        "accounts": [readable(assertion.user or {}) for assertion in assertions],
        "extensions": readable(data.extensions or {}),
    }
    if results.prf:
        result["prf"] = secrets_of(results.prf.results)
    if results.hmac_get_secret:
        result["hmac"] = secrets_of(results.hmac_get_secret)
    if options.get_cred_blob:
        result["credBlob"] = hexadecimal((data.extensions or {}).get("credBlob"))
    return result


def authentication_json(response):
    handle = response.response.user_handle
    return {
        "id": response.id,
        "rawId": encoded(response.raw_id),
        "type": "public-key",
        "response": {
            "clientDataJSON": encoded(response.response.client_data),
            "authenticatorData": encoded(response.response.authenticator_data),
            "signature": encoded(response.response.signature),
            **({"userHandle": encoded(handle)} if handle is not None else {}),
        },
    }


def forced_login(session, device, party, wanted):
    """Asks the device for an RP id that the browser refused. The account's site verifies."""
    ctap = Ctap2(device)
    collected = CollectedClientData.create(
        type=CollectedClientData.TYPE.GET,
        challenge=wanted.challenge,
        origin=f"https://{session.options.site}",
    )
    party.origin = f"https://{party.rp_id}"
    allowed = [{"type": "public-key", "id": each.id} for each in wanted.allow_credentials or []]
    proof = (None, None)
    try:
        if session.options.uv != "discouraged":
            protocol, token = uv_token(ctap, ClientPin.PERMISSION.GET_ASSERTION, wanted.rp_id)
            proof = (protocol.authenticate(token, collected.hash), protocol.VERSION)
        assertion = ctap.get_assertion(
            wanted.rp_id, collected.hash, allowed or None, None, None, *proof
        )
    except CtapError as error:
        return {**failure(error), "clientRefused": True}
    identifier = assertion.credential["id"]
    answer = {
        "id": encoded(identifier),
        "rawId": encoded(identifier),
        "type": "public-key",
        "response": {
            "clientDataJSON": encoded(collected),
            "authenticatorData": encoded(assertion.auth_data),
            "signature": encoded(assertion.signature),
        },
    }
    if assertion.user:
        answer["response"]["userHandle"] = encoded(assertion.user["id"])
    try:
        party.finish_authentication(answer)
    except Exception as error:
        return {**failure(error), "clientRefused": True, "assertion": True}
    raise Unexpected("the site accepted an assertion of another RP id")


def cancel(session):
    """Starts a login without an account's name and cancels it."""
    options = session.options
    party = session.party(options.site)
    request = party.authentication_options(
        None, uv=options.uv, allow_many=0, timeout=session.ceremony_timeout
    )
    device = session.open()
    client = session.browser(options.site, device)
    event = threading.Event()
    moments = {}

    def stop():
        moments["cancel"] = time.monotonic()
        event.set()

    timer = threading.Timer(options.after, stop)
    timer.daemon = True
    timer.start()
    try:
        client.get_assertion(PublicKeyCredentialRequestOptions.from_dict(request), event)
    except ClientError as error:
        if not isinstance(error.cause, CtapError) or "cancel" not in moments:
            raise
        if error.cause.code != CtapError.ERR.KEEPALIVE_CANCEL:
            raise
        seconds = time.monotonic() - moments["cancel"]
        return {
            "cancelled": True,
            "code": int(error.cause.code),
            "command": device.commands[-1],
            "seconds": round(seconds, 3),
        }
    finally:
        timer.cancel()
    raise Unexpected("the login ended before it was cancelled")


# Questions without a person


def silent(session, allowed):
    ctap = session.ctap()
    challenge = sha256(os.urandom(32))
    assertion = ctap.get_assertion(session.options.site, challenge, allowed, None, {"up": False})
    result = {
        "found": True,
        "credential": hexadecimal(assertion.credential["id"]),
        "flags": int(assertion.auth_data.flags),
        "signCount": assertion.auth_data.counter,
        "credentials": assertion.number_of_credentials,
        "account": readable(assertion.user) if assertion.user else None,
    }
    for _, known in session.party(session.options.site).credentials():
        if known["id"] == result["credential"]:
            key = CoseKey.parse(cbor.decode(bytes.fromhex(known["public_key"])))
            try:
                assertion.verify(challenge, key)
                result["signed"] = True
            except InvalidSignature:
                result["signed"] = False
    return result


def probe(session):
    return silent(session, [{"type": "public-key", "id": session.options.credential}])


def probe_discoverable(session):
    return silent(session, None)


# The device's list of passkeys


def manager(session):
    ctap = session.ctap()
    protocol, token = uv_token(ctap, ClientPin.PERMISSION.CREDENTIAL_MGMT, None)
    return CredentialManagement(ctap, protocol, token)


def listing(management):
    fields = CredentialManagement.RESULT
    for party in management.enumerate_rps():
        yield party, management.enumerate_creds(party[fields.RP_ID_HASH])


def manage_list(session):
    fields = CredentialManagement.RESULT
    management = manager(session)
    metadata = management.get_metadata()
    keys = {
        known["id"]: known["public_key"]
        for rp_id in session.store.sites
        for _, known in session.party(rp_id, rp_id).credentials()
    }
    parties = []
    for party, credentials in listing(management):
        described = []
        for credential in credentials:
            identifier = bytes(credential[fields.CREDENTIAL_ID]["id"]).hex()
            key = credential[fields.PUBLIC_KEY]
            described.append(
                {
                    "id": identifier,
                    "user": readable(credential[fields.USER]),
                    "algorithm": key[3],
                    "credProtect": credential.get(fields.CRED_PROTECT),
                    "known": identifier in keys,
                    "sameKey": keys.get(identifier) == cbor.encode(key).hex(),
                }
            )
        parties.append(
            {
                "rp": readable(party[fields.RP]),
                "sameHash": party[fields.RP_ID_HASH] == sha256(party[fields.RP]["id"].encode()),
                "credentials": described,
            }
        )
    return {
        "existing": metadata[fields.EXISTING_CRED_COUNT],
        "remaining": metadata[fields.MAX_REMAINING_COUNT],
        "parties": parties,
    }


def manage_delete(session):
    management = manager(session)
    management.delete_cred({"type": "public-key", "id": session.options.credential})
    return {"ok": True}


def manage_update(session):
    options = session.options
    fields = CredentialManagement.RESULT
    management = manager(session)
    user_id = options.user_id
    if user_id is None:
        user_id = next(
            (
                bytes(credential[fields.USER]["id"])
                for _, credentials in listing(management)
                for credential in credentials
                if bytes(credential[fields.CREDENTIAL_ID]["id"]) == options.credential
            ),
            b"unknown",
        )
    management.update_user_info(
        {"type": "public-key", "id": options.credential},
        {"id": user_id, "name": options.name, "displayName": options.display or options.name},
    )
    return {"ok": True}


# Tokens


def token(session):
    options = session.options
    ctap = session.ctap()
    rp_id = None if options.no_rp else options.site
    protocol, value = uv_token(ctap, options.permissions, rp_id)
    uses = []
    for other in options.use_for or []:
        challenge = sha256(os.urandom(32))
        try:
            assertion = ctap.get_assertion(
                other,
                challenge,
                [{"type": "public-key", "id": options.credential}] if options.credential else None,
                None,
                {"up": False} if options.silent else None,
                protocol.authenticate(value, challenge),
                protocol.VERSION,
            )
            uses.append({"rp": other, "ok": True, "flags": int(assertion.auth_data.flags)})
        except CtapError as error:
            uses.append({"rp": other, **failure(error)})
    return {"ok": True, "protocol": protocol.VERSION, "uses": uses}


# Messages and reports


def raw(session):
    device = session.open()
    answer = device.call(CTAPHID.CBOR, session.options.message)
    result = {
        "answer": answer.hex(),
        "status": answer[0] if answer else None,
        "name": status_name(answer[0]) if answer else None,
        "channel": f"{device.channel:08x}",
    }
    try:
        result["decoded"] = readable(cbor.decode(answer[1:])) if answer[1:] else None
    except Exception:
        result["decoded"] = None
    return result


def open_channel(connection):
    nonce = os.urandom(8)
    frame = struct.pack(">IBH", 0xFFFFFFFF, TYPE_INIT | CTAPHID.INIT, 8) + nonce
    connection.write_packet(frame.ljust(REPORT_SIZE, b"\0"))
    while True:
        report = connection.read_packet()
        channel, command, size = struct.unpack_from(">IBH", report)
        if channel == 0xFFFFFFFF and command == TYPE_INIT | CTAPHID.INIT and report[7:15] == nonce:
            return report[15:19]
        if channel == 0xFFFFFFFF and command == TYPE_INIT | CTAPHID.ERROR:
            raise CtapError(report[7])


def hid(session):
    options = session.options
    connection = session.connect()
    channel = open_channel(connection) if any("@" in text for text in options.report) else b""
    for text in options.report:
        if text.startswith("wait:"):
            time.sleep(float(text[5:]))
            continue
        report = bytes.fromhex(text.replace("@", channel.hex()))
        connection.write_packet(report if options.exact else report.ljust(REPORT_SIZE, b"\0"))
    reports = []
    moment = min(time.monotonic() + options.wait, session.deadline)
    closed = False
    while (report := connection.read_until(moment)) is not None:
        if not report:
            closed = True
            break
        reports.append(report.hex())
    return {"reports": reports, "channel": channel.hex() or None, "closed": closed}


def busy(session):
    """One channel logs in. Another one asks something meanwhile."""
    options = session.options
    party = session.party(options.site)
    request = party.authentication_options(
        None, uv=options.uv, allow_many=0, timeout=session.ceremony_timeout
    )
    second = session.connect()
    channel = open_channel(second)
    device = session.open()
    client = session.browser(options.site, device)
    event = threading.Event()
    first = {}

    def run():
        try:
            client.get_assertion(PublicKeyCredentialRequestOptions.from_dict(request), event)
            first["result"] = "ok"
        except Exception as error:
            first["result"] = failure(error)["error"]

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while not device.waits and thread.is_alive():
        time.sleep(0.01)
    if not thread.is_alive():
        raise Unexpected(f"the login ended at once: {first.get('result')}")
    frame = channel + struct.pack(">BH", TYPE_INIT | CTAPHID.CBOR, 1) + b"\x04"
    second.write_packet(frame.ljust(REPORT_SIZE, b"\0"))
    report = second.read_packet()
    # A new channel is given to a third connection even now, or refused as busy.
    try:
        opened = bool(open_channel(session.connect()))
    except CtapError as error:
        opened = error.code.name
    event.set()
    thread.join(max(0.1, session.deadline - time.monotonic()))
    result = {"report": report.hex(), "opened": opened, "first": first.get("result")}
    if report[:4] != channel or report[4] != TYPE_INIT | CTAPHID.ERROR:
        raise Unexpected(f"the second channel got {report.hex()}")
    result["code"] = report[7]
    result["busy"] = report[7] == CtapError.ERR.CHANNEL_BUSY
    if not result["busy"]:
        return {"error": status_name(report[7]), **result}
    return result


# The command line


def failure(error):
    """What a run prints if it fails."""
    result = {"error": type(error).__name__, "code": None}
    if isinstance(error, ClientError):
        result["client"] = error.code.name
        if not isinstance(error.cause, CtapError):
            result["detail"] = str(error.cause or "")
            return result
        error = error.cause
    if isinstance(error, CtapError):
        return {**result, "error": error.code.name, "code": int(error.code)}
    return {**result, "detail": str(error)}


def number(text):
    return int(text, 0)


def arguments():
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--socket", required=True)
    common.add_argument("--state", help="a JSON file with the sites' accounts")
    common.add_argument("--timeout", type=float, default=30, help="seconds, for the whole run")
    common.add_argument("--protocol", type=int, choices=(1, 2), help="the only PIN/UV protocol")
    common.add_argument("--trace", action="store_true", help="log CTAP commands to stderr")

    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(name, run, *positional, of=verbs):
        added = of.add_parser(name, parents=[common])
        added.set_defaults(run=run)
        for argument in positional:
            added.add_argument(argument)
        return added

    def with_uv(added):
        levels = ("required", "preferred", "discouraged")
        added.add_argument("--uv", choices=levels, default="preferred")
        return added

    verb("info", info)
    verb("selection", selection)
    verb("reset", reset)
    verb("retries", retries)
    verb("ping", ping).add_argument("--size", type=number, default=100)

    added = with_uv(verb("register", register, "site", "user"))
    added.add_argument(
        "--resident", choices=("required", "preferred", "discouraged"), default="preferred"
    )
    added.add_argument("--exclude", action="store_true", help="exclude the user's credentials")
    added.add_argument("--exclude-many", type=number, default=0, metavar="N")
    added.add_argument("--prf", action="store_true")
    added.add_argument("--prf-eval", type=bytes.fromhex, nargs="+", metavar="HEX")
    added.add_argument("--hmac-salt", type=bytes.fromhex, metavar="HEX")
    added.add_argument("--cred-protect", type=int, choices=(1, 2, 3))
    added.add_argument("--cred-blob", type=bytes.fromhex, metavar="HEX")
    added.add_argument("--algorithm", action="append", choices=list(ALGORITHMS))
    added.add_argument("--attestation", choices=("none", "direct"), default="none")
    added.add_argument("--enterprise", action="store_true")
    added.add_argument("--display")
    added.add_argument("--user-id", type=bytes.fromhex, metavar="HEX")
    added.add_argument("--rp-id", help="a parent domain of the site")

    added = with_uv(verb("login", login, "site"))
    added.add_argument("user", nargs="?")
    added.add_argument("--allow-many", type=number, default=0, metavar="N")
    added.add_argument("--prf", type=bytes.fromhex, nargs="+", metavar="HEX")
    added.add_argument("--hmac", type=bytes.fromhex, nargs="+", metavar="HEX")
    added.add_argument("--get-cred-blob", action="store_true")
    added.add_argument("--choose", type=number, default=0, metavar="N")
    added.add_argument("--rp-id", help="asks for this RP id, whatever the site is")

    added = with_uv(verb("cancel", cancel, "site"))
    added.add_argument("--after", type=float, default=0.5, metavar="SECONDS")
    with_uv(verb("busy", busy, "site"))

    verb("probe", probe, "site").add_argument("credential", type=bytes.fromhex)
    verb("probe-discoverable", probe_discoverable, "site")

    manage = verbs.add_parser("manage").add_subparsers(dest="action", required=True)
    verb("list", manage_list, of=manage)
    verb("delete", manage_delete, of=manage).add_argument("credential", type=bytes.fromhex)
    added = verb("update", manage_update, of=manage)
    added.add_argument("credential", type=bytes.fromhex)
    added.add_argument("name")
    added.add_argument("--display")
    added.add_argument("--user-id", type=bytes.fromhex, metavar="HEX")

    added = verb("token", token, "site")
    added.add_argument("--permissions", type=number, default=2)
    added.add_argument("--no-rp", action="store_true", help="ask for a token of no RP id")
    added.add_argument("--use-for", action="append", metavar="RP")
    added.add_argument("--credential", type=bytes.fromhex, metavar="HEX")
    added.add_argument("--silent", action="store_true", help="use the token with up=false")

    verb("raw", raw).add_argument("message", type=bytes.fromhex)
    added = verb("hid", hid)
    added.add_argument(
        "report", nargs="+", help="hexadecimal; @ is a new channel's number; wait:SECONDS waits"
    )
    added.add_argument("--exact", action="store_true", help="do not fill reports with zeros")
    added.add_argument("--wait", type=float, default=1, metavar="SECONDS")
    return parser.parse_args()


def main():
    options = arguments()
    if options.protocol:
        ClientPin.PROTOCOLS = [PinProtocolV1 if options.protocol == 1 else PinProtocolV2]

    def expire(*_):
        raise Timeout(f"{options.timeout} seconds are over")

    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, options.timeout)
    session = Session(options)
    try:
        result = options.run(session)
    except Exception as error:
        result = failure(error)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if session.devices:
        result.update(session.sent())
    print(json.dumps(result, sort_keys=True))
    sys.stdout.flush()
    # A thread may still wait for the device.
    os._exit(1 if "error" in result else 0)


if __name__ == "__main__":
    main()
