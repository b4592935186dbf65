#include "gateway/config/change/catalogue_change.hpp"

#include "gateway/log/time_text.hpp"
#include "proxy/providers/catalogue_update.hpp"

namespace photofinish::gateway {

std::optional<std::string> catalogue_problem(const config& running, const config& fresh) {
  const catalogue_settings& was = running.catalogue;
  const catalogue_settings& is = fresh.catalogue;
  if (is.file.empty() || is.id() == was.id()) return std::nullopt;
  if (is.as_of() < was.as_of())
    return "catalogue: " + is.file + " gives a list of " + day_text(is.as_of()) + ", older than the list in use (" +
           day_text(was.as_of()) + ")";
  const std::string problem = is.allow_jumps ? "" : proxy::jump_problem(was.list(), is.list());
  if (problem.empty()) return std::nullopt;
  return "catalogue: " + is.file + " differs too much from the list in use: " + problem +
         "; allow_jumps: true permits this";
}

}  // namespace photofinish::gateway
