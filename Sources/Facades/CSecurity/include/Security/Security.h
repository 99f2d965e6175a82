/// Keychain Services for C and C++.
#ifndef SECURITY_SECURITY_H
#define SECURITY_SECURITY_H

#include <Security/SecAccessControl.h>
#include <Security/SecBase.h>
#include <Security/SecCertificate.h>
#include <Security/SecItem.h>
#include <Security/SecRandom.h>

#endif
