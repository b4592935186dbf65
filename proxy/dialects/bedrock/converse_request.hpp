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

// Translates `thinking` and `top_k` to the model's own parameters. Removes members that the model refuses, and members
// that drop_params lists by their Converse names. If a removed member affects the answer, its name is added to
// `dropped`. If `reasoning` is `left_out`, all reasoning blocks are removed. Otherwise, only the reasoning blocks in
// `foreign` are removed, if `foreign` is not null. Returns the number of removed reasoning blocks.
std::size_t edit_converse_body(const client_body& body, const converse_facts& facts, const behaviour& behaves,
                               reasoning_items reasoning, json_edits& edits, std::vector<std::string>& dropped,
                               foreign_reasoning* foreign = nullptr);

// Returns the name, in OpenAI's API, of the first feature that the request needs but the model does not support.
std::optional<std::string_view> unsupported_in_converse(const client_body& body, const converse_facts& facts);

}  // namespace photofinish::proxy
