// Answers GET /v1/models and /v1/models/{id} in the format of the client's own API. [pure]
#pragma once

#include "gateway/api/models/model_list.hpp"
#include "gateway/http/client_request.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::gateway {

enum class model_shape {
  openai,     // OpenAI's list: {"object":"list","data":[{"id":…,"object":"model","created":…,"owned_by":…}]}
  // Anthropic's list in pages: {"data":[{"type":"model","id":…,"display_name":…,"created_at":…}],"has_more":…}.
  anthropic,
  codex,      // Codex's list: {"models":[{"slug":…}]}
};

// Selects the format of the answer by the request: Anthropic's clients send the header anthropic-version, and Codex
// sends the parameter client_version.
model_shape shape_for(const client_request& request);

// Lists the models that this caller may name. `created` is the time when the models became available. Returns an error
// if the requested page does not exist.
std::variant<std::string, api_error> list_models(const config& settings, const caller& who,
                                                 const client_request& request, std::chrono::sys_seconds created);

// Describes one model, or returns a 404 error.
std::variant<std::string, api_error> describe_model(const config& settings, const caller& who, std::string_view id,
                                                    const client_request& request, std::chrono::sys_seconds created);

}  // namespace photofinish::gateway
