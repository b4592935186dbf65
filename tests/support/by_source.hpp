// Builds measured values of an answer for tests. Each value is based on the token count from the provider's usage report (`usage`), on the
// gateway's own token count (`tokenizer`), or on both with the same number.
#pragma once

#include "metrics/outcomes.hpp"

#include <optional>

namespace photofinish::metrics {

template <class Figure>
by<token_source, std::optional<Figure>> reported_by(token_source source, Figure figure) {
  by<token_source, std::optional<Figure>> all;
  all[source] = figure;
  return all;
}

template <class Figure>
by<token_source, std::optional<Figure>> reported_by_both(Figure figure) {
  by<token_source, std::optional<Figure>> all = reported_by(token_source::usage, figure);
  all[token_source::tokenizer] = figure;
  return all;
}

}  // namespace photofinish::metrics
