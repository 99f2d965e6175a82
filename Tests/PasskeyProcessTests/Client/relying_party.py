"""A WebAuthn relying party built on the package webauthn, with its accounts in a JSON file."""

import json
import os
import secrets

import webauthn
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, options_to_json
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import (
    AttestationConveyancePreference,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

ALGORITHMS = {
    "ES256": COSEAlgorithmIdentifier.ECDSA_SHA_256,
    "EdDSA": COSEAlgorithmIdentifier.EDDSA,
    "RS256": COSEAlgorithmIdentifier.RSASSA_PKCS1_v1_5_SHA_256,
}


class UnknownUser(Exception):
    """The site has no account of that name."""


class UnknownCredential(Exception):
    """The site has no account with that credential."""


class DuplicateCredential(Exception):
    """The site already has a credential with that id."""


class WrongUserHandle(Exception):
    """The user handle is missing, or belongs to another account."""


def random_descriptors(count):
    return [PublicKeyCredentialDescriptor(id=secrets.token_bytes(48)) for _ in range(count)]


class Store:
    """The accounts of all sites. Without a file they last as long as the process."""

    def __init__(self, path):
        self.path = path
        self.sites = {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.sites = json.load(file)

    def save(self):
        if not self.path:
            return
        partial = self.path + ".new"
        with open(partial, "w", encoding="utf-8") as file:
            json.dump(self.sites, file, indent=1, sort_keys=True)
        os.replace(partial, self.path)


class RelyingParty:
    """One site. The RP id is the site's name, or a parent domain of it."""

    def __init__(self, store, rp_id, site):
        self.store = store
        self.rp_id = rp_id
        self.origin = f"https://{site}"
        self.users = store.sites.setdefault(rp_id, {})

    def credentials(self, user=None):
        """Yields the name of the user and the credential."""
        for name, account in self.users.items():
            if user is None or name == user:
                for credential in account["credentials"]:
                    yield name, credential

    def account(self, user):
        if user not in self.users:
            raise UnknownUser(user)
        return self.users[user]

    def _known(self, user):
        return [
            PublicKeyCredentialDescriptor(id=bytes.fromhex(credential["id"]))
            for _, credential in self.credentials(user)
        ]

    def registration_options(
        self, user, *, user_id, display, resident, uv, exclude, exclude_many, algorithms,
        attestation, timeout,
    ):
        account = self.users.get(user)
        if user_id is None and account:
            user_id = bytes.fromhex(account["id"])
        self.user = user
        self.required = uv == "required"
        self.algorithms = [ALGORITHMS[name] for name in algorithms]
        options = webauthn.generate_registration_options(
            rp_id=self.rp_id,
            rp_name=f"The site {self.rp_id}",
            user_name=user,
            user_id=user_id,
            user_display_name=display,
            timeout=timeout,
            attestation=AttestationConveyancePreference(attestation),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement(resident),
                user_verification=UserVerificationRequirement(uv),
            ),
            exclude_credentials=random_descriptors(exclude_many)
            + (self._known(user) if exclude else []),
            supported_pub_key_algs=self.algorithms,
        )
        self.challenge = options.challenge
        self.user_id = options.user.id
        self.display = options.user.display_name
        return json.loads(options_to_json(options))

    def finish_registration(self, response, resident):
        """Verifies a registration and keeps the credential."""
        verified = webauthn.verify_registration_response(
            credential=response,
            expected_challenge=self.challenge,
            expected_rp_id=self.rp_id,
            expected_origin=self.origin,
            require_user_verification=self.required,
            supported_pub_key_algs=self.algorithms,
        )
        identifier = verified.credential_id.hex()
        if any(credential["id"] == identifier for _, credential in self.credentials()):
            raise DuplicateCredential(identifier)
        account = self.users.setdefault(self.user, {"credentials": []})
        account["id"] = self.user_id.hex()
        account["display"] = self.display
        account["credentials"].append(
            {
                "id": identifier,
                "public_key": verified.credential_public_key.hex(),
                "sign_count": verified.sign_count,
                "resident": resident,
            }
        )
        self.store.save()
        return verified

    def authentication_options(self, user, *, uv, allow_many, timeout):
        self.user = user
        self.required = uv == "required"
        allowed = random_descriptors(allow_many)
        if user is not None:
            self.account(user)
            allowed += self._known(user)
        options = webauthn.generate_authentication_options(
            rp_id=self.rp_id,
            timeout=timeout,
            allow_credentials=allowed,
            user_verification=UserVerificationRequirement(uv),
        )
        self.challenge = options.challenge
        return json.loads(options_to_json(options))

    def finish_authentication(self, response):
        """Verifies a login. Returns the user's name and what was verified."""
        identifier = base64url_to_bytes(response["rawId"]).hex()
        for name, credential in self.credentials(self.user):
            if credential["id"] == identifier:
                break
        else:
            raise UnknownCredential(identifier)
        handle = response["response"].get("userHandle")
        if handle is None and self.user is None:
            raise WrongUserHandle("a discoverable login needs a user handle")
        if handle is not None and base64url_to_bytes(handle).hex() != self.users[name]["id"]:
            raise WrongUserHandle(handle)
        verified = webauthn.verify_authentication_response(
            credential=response,
            expected_challenge=self.challenge,
            expected_rp_id=self.rp_id,
            expected_origin=self.origin,
            credential_public_key=bytes.fromhex(credential["public_key"]),
            credential_current_sign_count=credential["sign_count"],
            require_user_verification=self.required,
        )
        credential["sign_count"] = verified.new_sign_count
        self.store.save()
        return name, verified


def encoded(data):
    return bytes_to_base64url(bytes(data))
