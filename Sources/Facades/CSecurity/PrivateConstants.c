// What SecPrivate.h declares.
#include "ConstantString.h"

SECURITY_CONSTANT(kSecAttrTombstone, "tomb")
SECURITY_CONSTANT(kSecUseTombstones, "u_Tomb")
SECURITY_CONSTANT(kSecAttrSHA1, "sha1")
