// Everything that the module CommonCrypto has. docs/commoncrypto.md says what it has not.
#ifndef CHATELAINE_COMMONCRYPTO_H
#define CHATELAINE_COMMONCRYPTO_H

#include "CommonCryptoError.h"
#include "CommonCryptor.h"
#include "CommonDigest.h"
#include "CommonHMAC.h"
#include "CommonKeyDerivation.h"
#include "CommonRandom.h"
#include "CommonSymmetricKeywrap.h"

#endif
