// Decides if a catalogue from an operator's file may replace another one (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t largest_catalogue_bytes = 8u << 20;

// A file, and either its hash, or a key and a signature.
struct catalogue_file {
  std::string_view text;
  std::string_view signature;   // a signature in the form that catalogue_proof.hpp describes
  std::string_view sha256;      // the hash as 64 hex digits; if empty, the signature is checked instead
  std::string_view public_key;  // a key in the form that catalogue_proof.hpp describes
};

// Checks the proof of a file, then reads it. The caller puts the file's name before the error text:
// "has the hash …, not …".
catalogue_result read_proven_catalogue(const catalogue_file& file);

// True if the list's date is more than two days after `today`. Each list of the following days would then be older. The
// machine's clock may be wrong, but it cannot be before the date of the built-in list.
bool is_dated_ahead(std::chrono::sys_days as_of, std::chrono::sys_days today);

// Explains why `next` must not replace `before` unless jumps are allowed. Returns an empty text if it may. A problem is
// that a provider is gone, or has fewer names or fewer priced names. Another problem is that a price vanishes, falls to
// zero or moves more than tenfold. Prices are compared by provider, name, tier and class of tokens. A model that was
// free may get a price. fact_jump() lists changes of facts that are also problems.
std::string jump_problem(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
