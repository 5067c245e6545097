// Signed documentation: a method's signature and sentence in one text, as Python's `inspect` reads it.
#pragma once

#define SIGNED(signature, sentence) signature "\n--\n\n" sentence
