#include "proxy/providers/found_facts.hpp"

#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/configured_facts.hpp"
#include "proxy/providers/provider.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace photofinish::proxy {
namespace {

// The catalogue's max_output limits requests only if it is at least this value. Some sources of the catalogue contain
// only the default, although the model can write longer answers. A smaller max_output might therefore end answers too
// early.
constexpr std::uint64_t least_sure_output = 32'768;

void fill_in(const known_efforts& from, known_efforts& into) {
  if (!into.are_known) into = from;
}

void fill_in(std::uint64_t from, std::uint64_t& into) {
  if (into == 0) into = from;
}

void fill_in(const token_limits& from, token_limits& into) {
  fill_in(from.context, into.context);
  fill_in(from.max_output, into.max_output);
}

// Returns true if the provider is a model's vendor or the vendor's cloud. The limits in model_facts.yaml are those of
// the vendor. They do not apply if another provider serves the same model.
bool is_vendor(std::string_view place) { return place == "openai" || place == "azure" || place == "mistral"; }

// Returns the current catalogue, or null if only model_facts.yaml has facts about the model's provider.
const catalogue* list_for(const asked_model& asked) {
  return asked.at != nullptr && asked.at->listed.number() != 0 ? &asked.at->listed.list() : nullptr;
}

const catalogue_model* find_named(const catalogue& list, const std::string& name) {
  const std::size_t slash = name.find('/');
  return list.find(name.substr(0, slash), name.substr(slash + 1));
}

// Finds the catalogue entry of the model to which a row of model_facts.yaml refers. A newer catalogue may lack that
// model, so the built-in catalogue is also searched.
const catalogue_model* find_alike(const asked_model& asked, const std::string& name) {
  if (name.empty()) return nullptr;
  const catalogue* const list = list_for(asked);
  const catalogue_model* const row = list != nullptr ? find_named(*list, name) : nullptr;
  return row != nullptr ? row : find_named(*built_in_catalogue(), name);
}

// Finds the current catalogue's entry for the same model at another provider.
const catalogue_model* find_there(const asked_model& asked, const std::string& preset) {
  const catalogue* const list = preset.empty() ? nullptr : list_for(asked);
  return list != nullptr ? list->find(preset, asked.name.substr(asked.name.rfind('/') + 1)) : nullptr;
}

void add_exception(const asked_model& asked, const fact_row& row, found_facts& into) {
  fill_in(row.efforts, into.efforts);
  if (const catalogue_model* there = find_there(asked, row.efforts_at)) fill_in(there->efforts, into.efforts);
  fill_in(row.limits, into.known);
  fill_in(row.limits.max_output, into.max_output);
  into.is_responses_only |= row.is_responses_only;
}

void add_listed(const asked_model& asked, bool takes_efforts, found_facts& into) {
  const catalogue* const list = list_for(asked);
  if (list == nullptr || asked.at->listed.provider.empty()) return;
  const catalogue_model* const row = list->find(asked.at->listed.provider, asked.name);
  if (row == nullptr) return;
  if (takes_efforts) fill_in(row->efforts, into.efforts);
  fill_in({.context = row->context, .max_output = row->max_output}, into.known);
  if (row->max_output >= least_sure_output) fill_in(row->max_output, into.max_output);
  into.is_responses_only |= row->is_responses_only;
}

// Adds to a row of model_facts.yaml the facts of the models to which the row refers.
fact_row whole_pattern(const asked_model& asked, fact_row row) {
  if (const catalogue_model* alike = find_alike(asked, row.like)) {
    fill_in(alike->efforts, row.efforts);
    fill_in({.context = alike->context, .max_output = alike->max_output}, row.limits);
    row.is_responses_only |= alike->is_responses_only;
  }
  if (const catalogue_model* alike = find_alike(asked, row.efforts_like)) fill_in(alike->efforts, row.efforts);
  return row;
}

}  // namespace

fact_rows::fact_rows(std::vector<fact_row> all, bool is_own_api) : is_own_api_(is_own_api) {
  const auto is_exception = [](const fact_row& row) { return !row.reason.empty(); };
  std::copy_if(all.begin(), all.end(), std::back_inserter(exceptions_), is_exception);
  std::erase_if(all, is_exception);
  patterns_ = std::move(all);
}

found_facts fact_rows::find(const asked_model& asked, std::string_view dashed) const {
  found_facts found;
  const auto is_its = [&](const fact_row& row) {
    return holds_at(row.at, asked.place) && matches_any(row.match, dashed);
  };
  bool are_efforts_sure = true;
  for (const fact_row& row : exceptions_) {
    if (!is_its(row)) continue;
    add_exception(asked, row, found);
    are_efforts_sure &= !row.are_efforts_unsure;
  }
  add_listed(asked, are_efforts_sure, found);
  if (const auto first = std::find_if(patterns_.begin(), patterns_.end(), is_its); first != patterns_.end()) {
    const fact_row pattern = whole_pattern(asked, *first);
    fill_in(pattern.efforts, found.efforts);
    fill_in(pattern.limits.max_output, found.max_output);
    if (is_own_api_ || is_vendor(asked.place)) fill_in(pattern.limits, found.known);
    found.is_responses_only |= pattern.is_responses_only;
  }
  const std::uint64_t own_most = asked.at != nullptr ? configured_facts(*asked.at, asked.name).max_output : 0;
  if (own_most > 0 && found.max_output > 0) found.max_output = own_most;
  return found;
}

}  // namespace photofinish::proxy
