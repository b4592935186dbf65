#include "proxy/dialects/hints/cache_hint.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/model_rows.hpp"
#include "proxy/words/ascii.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace photofinish::proxy {
namespace {

constexpr std::string_view clients_field = "prompt_cache_key";
constexpr std::size_t longest_clients_hint = 256;  // OpenRouter's maximum length of a cache hint, in bytes
constexpr std::size_t hint_digits = 32;
// The assumed number of bytes per token, which is lower than in most prompts. It is used to find prompts that are
// certainly too short to be cached. Such prompts get no cache hint.
constexpr std::size_t bytes_per_token = 3;

bool takes_members(wire_format format) {
  return format == wire_format::openai_chat || format == wire_format::openai_responses;
}

const std::string& field_for(const provider& target, wire_format format) {
  const prompt_hint_fields& hint = target.behaves.prompt_cache.hint;
  return format == wire_format::openai_responses ? hint.responses : hint.chat;
}

// True if the provider and the model accept the request member that contains a cache hint. Unknown models are assumed
// to accept it.
bool takes_member(const attempt_request& asked, const std::string& field) {
  const behaviour& behaves = asked.target.behaves;
  const auto& models = behaves.prompt_cache.hint_models;
  if (behaves.apply_message || contains(behaves.drop_params, field) || contains(behaves.reject_params, field))
    return false;
  if (!behaves.accept_params.empty() && !contains(behaves.accept_params, field)) return false;
  if (!models.empty() && !matches_any(models, ascii_lower(asked.model))) return false;
  const refused_params& refused = openai_facts_of(asked.model, place_of(asked.target)).params;
  for (const auto* list : {&refused.drop, &refused.reject, &refused.never, &refused.never_reject})
    if (contains(*list, field)) return false;
  return true;
}

// True if the client's body already contains a cache hint, either in the member `field` or in a member that
// rename_params renames to `field`.
bool has_member(const attempt_request& asked, const std::string& field) {
  if (asked.body->members().find(field) != nullptr) return true;
  const auto& renamed = asked.target.behaves.rename_params;
  return std::any_of(renamed.begin(), renamed.end(), [&](const auto& each) {
    return each.second == field && asked.body->members().find(each.first) != nullptr;
  });
}

bool has_field(const request_head& head, std::string_view name) {
  return std::any_of(head.fields.begin(), head.fields.end(),
                     [name](const auto& each) { return equals_ignoring_case(each.first, name); });
}

// Returns the client's `prompt_cache_key` from a chat or Responses request. Returns an empty view if the client sent
// none, or if the key is too long for some providers.
std::string_view hint_of_client(const hint_source& source) {
  if (!takes_members(source.format)) return {};
  const std::string_view key = source.body.value_of(clients_field);
  const std::string_view text = json_is_string(key) ? json_raw_string(key) : std::string_view{};
  return text.size() <= longest_clients_hint && consists_of_letters(text, "_-.:/") ? text : std::string_view{};
}

// Returns the cache hint that this gateway makes. Returns an empty string if the request should have no hint.
std::string own_hint(const attempt_request& asked, const hint_source& source) {
  if (!json_is_absent(source.body.value_of(clients_field)) && takes_members(source.format)) return {};
  if (source.body.json().size() < asked.target.behaves.prompt_cache.minimum * bytes_per_token) return {};
  const std::optional<wide_hash>& print = source.print.of(source.body, source.format);
  return print ? hint_text(*print, source.account) : std::string();
}

}  // namespace

std::string hint_text(const wide_hash& print, std::string_view account) {
  std::string text("photofinish prompt cache hint");
  text.append(std::to_string(print.low)).append(" ").append(std::to_string(print.high)).append(" ").append(account);
  return sha256_hex(text).substr(0, hint_digits);
}

bool add_cache_hint(const attempt_request& asked, const hint_source& source, prepared_request& prepared) {
  const std::string& field = field_for(asked.target, asked.format);
  if (field.empty() || asked.body->is_form()) return false;
  const bool is_header = is_header_hint(field);
  if (is_header ? has_field(prepared.head, field)
                : !takes_members(asked.format) || has_member(asked, field) || !takes_member(asked, field))
    return false;
  const std::string_view of_client = hint_of_client(source);
  const std::string hint = of_client.empty() ? own_hint(asked, source) : std::string(of_client);
  if (hint.empty()) return false;
  if (is_header) prepared.head.fields.emplace_back(field, hint);
  else prepared.body.edits().insert_member(asked.body->json(), json_quote(field) + ":" + json_quote(hint));
  return !of_client.empty();
}

}  // namespace photofinish::proxy
