// What is changed in a body of converse_form.hpp for the model that gets it, and what it cannot serve. [pure]
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

// Says in the model's own words how it is to think, and top_k; leaves out what it refuses, and what the provider's
// drop_params name, by Converse's names. What said something and is left out is added to `dropped`. Returns how many
// blocks of reasoning were left out: all of it if `reasoning` asks for that, otherwise the blocks that `foreign`
// contains, which may be null.
std::size_t edit_converse_body(const client_body& body, const converse_facts& facts, const behaviour& behaves,
                               reasoning_items reasoning, json_edits& edits, std::vector<std::string>& dropped,
                               foreign_reasoning* foreign = nullptr);

// What that model cannot do, by OpenAI's names.
std::optional<std::string_view> unsupported_in_converse(const client_body& body, const converse_facts& facts);

}  // namespace photofinish::proxy
