// What this gateway speaks, on either side.
#pragma once

#include "gateway/api/api.hpp"
#include "proxy/find_dialect.hpp"

#include <span>

namespace photofinish::gateway {

// The APIs that clients may call, as a table. All of it lives as long as the program.
std::span<const api* const> all_apis();

// All of it lives as long as the gateway.
struct protocols {
  std::span<const api* const> apis = all_apis();
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
};

}  // namespace photofinish::gateway
