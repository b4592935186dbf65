// Edits a Converse body (converse_form.hpp) for its model, and finds requests that the model cannot serve. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/fact_types.hpp"
#include "proxy/providers/provider.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Writes thinking and top_k in the model's own words. Removes members that the model refuses, and members that the
// provider's drop_params name in Converse's words. The names of removed members with meaning are added to `dropped`.
// Removes all reasoning if `reasoning` requires it, otherwise the blocks that `foreign` contains. `foreign` may be
// null. Returns the number of removed blocks of reasoning.
std::size_t edit_converse_body(const client_body& body, const converse_facts& facts, const behaviour& behaves,
                               reasoning_items reasoning, json_edits& edits, std::vector<std::string>& dropped,
                               foreign_reasoning* foreign = nullptr);

// Returns OpenAI's name of the first feature that the request needs and the model lacks.
std::optional<std::string_view> unsupported_in_converse(const client_body& body, const converse_facts& facts);

}  // namespace photofinish::proxy
