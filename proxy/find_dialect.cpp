#include "proxy/find_dialect.hpp"

#include "proxy/dialects/openai/openai_dialect.hpp"

namespace photofinish::proxy {

const dialect* find_dialect(std::string_view name) {
  static const openai_dialect openai;
  return name == "openai" ? &openai : nullptr;
}

}  // namespace photofinish::proxy
