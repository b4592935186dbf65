// Decides whether a catalogue from an operator's file may replace the current catalogue (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t largest_catalogue_bytes = 8u << 20;

// A catalogue file and its proof, which is either a hash, or a signature with its public key.
struct catalogue_file {
  std::string_view text;
  std::string_view signature;   // a signature in the form that catalogue_proof.hpp describes
  std::string_view sha256;      // the file's hash as 64 hex digits; if empty, the signature is checked instead
  std::string_view public_key;  // a key in the form that catalogue_proof.hpp describes
};

// Checks the hash or signature of a file, and then parses the file. An error text has no subject, for example "has the
// SHA-256 …, not …". The caller writes the file's name before it.
catalogue_result read_proven_catalogue(const catalogue_file& file);

// True if the catalogue's date is more than two days after `today`. Such a date is wrong, and all later catalogues
// would look older than this one. If `today` is earlier than the date of the built-in catalogue, the machine's clock is
// wrong, and the date of the built-in catalogue is used instead.
bool is_dated_ahead(std::chrono::sys_days as_of, std::chrono::sys_days today);

// Explains why `next` must not replace `before` unless jumps are allowed. Returns an empty text if it may. `next` must
// contain every provider of `before`. No provider may have fewer model names, or fewer names with a price. A price must
// not vanish, fall to zero or move more than tenfold. However, a model that was free may get a price. Prices are
// compared by provider, model name, tier and class of tokens. fact_jump() finds problems with other facts.
std::string jump_problem(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
