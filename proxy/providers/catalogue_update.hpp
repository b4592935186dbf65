// Whether a catalogue from an operator's file may replace another one (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline constexpr std::size_t largest_catalogue_bytes = 8u << 20;

// A file, and what proves it: either its hash, or a key and a signature.
struct catalogue_file {
  std::string_view text;
  std::string_view signature;   // see catalogue_proof.hpp
  std::string_view sha256;      // 64 hex digits; empty: the signature counts
  std::string_view public_key;  // see there, too
};

// Reads the file after it has checked the proof. The error follows the name of the file: "has the hash …, not …".
catalogue_result read_proven_catalogue(const catalogue_file& file);

// Whether the date of a list is more than two days after today, so that each list of the next days would be older. A
// clock may be wrong, but today is not before the date of the built-in list.
bool is_dated_ahead(std::chrono::sys_days as_of, std::chrono::sys_days today);

// Why `next` must not replace `before` unless jumps are allowed. Empty: it may.
// A provider is gone or has fewer names or fewer priced names, or a price vanishes, falls to zero or moves more
// than tenfold. Prices are compared by provider, name, tier and class of tokens. A model that was free may get a price.
// Facts may not shrink either: see fact_jump().
std::string jump_problem(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
