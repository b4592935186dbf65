// Decides if a catalogue from an operator's file may replace another one (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t largest_catalogue_bytes = 8u << 20;

// A file and its proof: either its hash, or a key and a signature.
struct catalogue_file {
  std::string_view text;
  std::string_view signature;   // see catalogue_proof.hpp
  std::string_view sha256;      // 64 hex digits; if empty, the signature is checked instead
  std::string_view public_key;  // see catalogue_proof.hpp
};

// Checks the proof, then reads the file. The error text is written to follow the file's name: "has the hash …, not …".
catalogue_result read_proven_catalogue(const catalogue_file& file);

// Returns true if the date of a list is more than two days after today: each list of the next days would then be
// older. A clock may be wrong, but today is not before the date of the built-in list.
bool is_dated_ahead(std::chrono::sys_days as_of, std::chrono::sys_days today);

// Explains why `next` must not replace `before` unless jumps are allowed. Empty: it may.
// The problems are that a provider is gone or has fewer names or fewer priced names, or that a price vanishes, falls to
// zero or moves more than tenfold. Prices are compared by provider, name, tier and class of tokens. A model that was
// free may get a price. fact_jump() lists the changes of facts that are problems also.
std::string jump_problem(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
