// Finds facts of models that a catalogue must not lose in an update (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <string>

namespace photofinish::proxy {

// Explains why the facts of `next` must not replace those of `before` unless jumps are allowed. Returns an empty text
// if they may. Names that only one of the lists knows are not compared. A problem is that
// - a context or a max_output falls more than tenfold;
// - more than half of a provider's names, and more than two, lose context, max_output or a word of their efforts;
// - `responses_only` changes for more than five names of a provider;
// - `ends` moves into the past for more than a tenth of a provider's names, and more than ten;
// - a cloud loses more than half of its betas.
std::string fact_jump(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
