// Checksums of bytes: the CRC-32 of zip files.
#pragma once

#include "seam/python.h"

namespace rushlight {

// Adds `crc32` where the processor multiplies without carries; elsewhere zlib's is as good.
bool add_checksum(PyObject* module);

}  // namespace rushlight
