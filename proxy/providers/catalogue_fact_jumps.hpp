// Finds changes of model facts that are too large for a catalogue update (docs/decisions/0082). [pure]
#pragma once

#include "proxy/providers/catalogue.hpp"

#include <string>

namespace photofinish::proxy {

// Explains why the facts of `next` must not replace the facts of `before` unless jumps are allowed. Returns an empty
// text if they may. Only model names that both catalogues contain are compared. These changes are problems: (1) The
// `context` or `max_output` of a name falls more than tenfold. (2) More than half of a provider's names, and more than
// two, lose `context`, `max_output` or one of their efforts. (3) `responses_only` changes for more than five names of a
// provider. (4) `ends` moves into the past for more than a tenth of a provider's names, and for more than ten. (5) A
// cloud loses more than half of its beta features.
std::string fact_jump(const catalogue& before, const catalogue& next);

}  // namespace photofinish::proxy
