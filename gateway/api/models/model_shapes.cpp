#include "gateway/api/models/model_shapes.hpp"

#include "gateway/api/api_error.hpp"
#include "gateway/api/url_text.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace photofinish::gateway {
namespace {

using proxy::json_quote;

constexpr std::size_t longest_page = 1000;  // the maximum number of models per page in Anthropic's API

// Instructions that Codex uses instead of its own. Codex rejects a model list without instructions. This text contains
// only rules that suit any model. It does not describe tools, because Codex does so itself.
constexpr std::string_view codex_instructions =
    "You are a coding agent in the Codex CLI, and work in the user's files on their machine. Go on until the task is "
    "done: read what you need, change files with the tools that you have, run what shows that the change works, and "
    "then say in a few sentences what you did. Make the smallest change that solves the problem in the style of the "
    "code around it. Follow AGENTS.md files in the folders that you touch. Do not commit, and do not undo changes that "
    "are not yours, unless you are asked to. Ask before anything that cannot be undone. Say so when something could "
    "not be done or checked.";

// Writes the size of a model's context under the name that clients of this API read. OpenAI's own list has no context
// size, so a list in OpenAI's format uses OpenRouter's name.
std::string context_member(std::string_view name, const listed_model& model) {
  if (model.context == 0) return {};
  return ",\"" + std::string(name) + "\":" + std::to_string(model.context);
}

std::string openai_model(const listed_model& model, std::chrono::sys_seconds created) {
  return R"({"id":)" + json_quote(model.id) + R"(,"object":"model","created":)" +
         std::to_string(created.time_since_epoch().count()) + R"(,"owned_by":)" + json_quote(model.owner) +
         context_member("context_length", model) + "}";
}

std::string anthropic_model(const listed_model& model, std::chrono::sys_seconds created) {
  return R"({"type":"model","id":)" + json_quote(model.id) + R"(,"display_name":)" + json_quote(model.id) +
         R"(,"created_at":")" + second_text(created) + "\"" + context_member("max_input_tokens", model) + "}";
}

// Writes a model with all members that Codex's parser requires. Codex shows the models in the order of the list, and
// hides none.
std::string codex_model(const listed_model& model, std::size_t place) {
  return R"({"slug":)" + json_quote(model.id) + R"(,"display_name":)" + json_quote(model.id) +
         R"(,"supported_reasoning_levels":[],"shell_type":"default","visibility":"list","supported_in_api":true)" +
         R"(,"priority":)" + std::to_string(place) + context_member("context_window", model) +
         R"(,"support_verbosity":false,"truncation_policy":{"mode":"tokens","limit":10000})" +
         R"(,"experimental_supported_tools":[],"base_instructions":)" + json_quote(codex_instructions) + "}";
}

template <class Write>
std::string joined(std::span<const listed_model> models, const Write& write) {
  std::string list;
  for (const listed_model& each : models) list.append(list.empty() ? "" : ",").append(write(each));
  return list;
}

// The query parameters that select a page of models. They are the same as in Anthropic's API.
struct models_request {
  std::optional<std::string> after_id = {};
  std::optional<std::string> before_id = {};
  std::size_t limit = 20;
};

api_error not_listed(std::string_view parameter, std::string_view id) {
  return bad_request("'" + std::string(parameter) + "' names " + in_quotes(id) + ", which is not in the list",
                     std::string(parameter));
}

// Returns one page of the list: the models immediately after or immediately before a given model.
std::variant<std::span<const listed_model>, api_error> page_of(std::span<const listed_model> models,
                                                               const models_request& asked) {
  const auto place_of = [models](std::string_view id) {
    const auto found = std::find_if(models.begin(), models.end(), [id](const auto& each) { return each.id == id; });
    return static_cast<std::size_t>(found - models.begin());
  };
  if (asked.after_id) {
    const std::size_t place = place_of(*asked.after_id);
    if (place == models.size()) return not_listed("after_id", *asked.after_id);
    return models.subspan(place + 1);
  }
  if (asked.before_id) {
    const std::size_t place = place_of(*asked.before_id);
    if (place == models.size()) return not_listed("before_id", *asked.before_id);
    return models.first(place);
  }
  return models;
}

std::variant<std::string, api_error> write_page(std::span<const listed_model> models, const models_request& asked,
                                                std::chrono::sys_seconds created) {
  const auto found = page_of(models, asked);
  if (const auto* error = std::get_if<api_error>(&found)) return *error;
  std::span<const listed_model> page = std::get<0>(found);
  const bool has_more = page.size() > asked.limit;
  if (has_more) page = asked.before_id && !asked.after_id ? page.last(asked.limit) : page.first(asked.limit);
  const auto id = [&page](std::size_t at) { return page.empty() ? std::string("null") : json_quote(page[at].id); };
  return R"({"data":[)" + joined(page, [created](const auto& each) { return anthropic_model(each, created); }) +
         R"(],"has_more":)" + (has_more ? "true" : "false") + R"(,"first_id":)" + id(0) + R"(,"last_id":)" +
         id(page.size() - 1) + "}";
}

std::optional<std::size_t> read_limit(std::string_view text) {
  const auto limit = proxy::parse_number<std::size_t>(text);
  return limit && *limit >= 1 && *limit <= longest_page ? limit : std::nullopt;
}

std::variant<models_request, api_error> read_page(const client_request& request) {
  models_request asked{query_value(request.query, "after_id"), query_value(request.query, "before_id")};
  if (const auto text = query_value(request.query, "limit")) {
    const auto limit = read_limit(*text);
    if (!limit) return bad_request("'limit' must be a number from 1 to " + std::to_string(longest_page), "limit");
    asked.limit = *limit;
  }
  return asked;
}

std::string codex_list(std::span<const listed_model> models) {
  std::size_t place = 0;
  return R"({"models":[)" + joined(models, [&place](const auto& each) { return codex_model(each, place++); }) + "]}";
}

}  // namespace

model_shape shape_for(const client_request& request) {
  if (query_value(request.query, "client_version")) return model_shape::codex;
  return request.field("anthropic-version").empty() ? model_shape::openai : model_shape::anthropic;
}

std::variant<std::string, api_error> list_models(const config& settings, const caller& who,
                                                 const client_request& request, std::chrono::sys_seconds created) {
  const std::vector<listed_model> models = models_of(settings, who);
  const model_shape shape = shape_for(request);
  if (shape == model_shape::codex) return codex_list(models);
  if (shape == model_shape::openai)
    return R"({"object":"list","data":[)" +
           joined(models, [created](const auto& each) { return openai_model(each, created); }) + "]}";
  const auto asked = read_page(request);
  if (const auto* error = std::get_if<api_error>(&asked)) return *error;
  return write_page(models, std::get<models_request>(asked), created);
}

std::variant<std::string, api_error> describe_model(const config& settings, const caller& who, std::string_view id,
                                                    const client_request& request, std::chrono::sys_seconds created) {
  const auto found = find_model(settings, who, id);
  if (const auto* error = std::get_if<api_error>(&found)) return *error;
  const listed_model& model = std::get<listed_model>(found);
  switch (shape_for(request)) {
    case model_shape::anthropic: return anthropic_model(model, created);
    case model_shape::codex: return codex_model(model, 0);
    case model_shape::openai: break;
  }
  return openai_model(model, created);
}

}  // namespace photofinish::gateway
