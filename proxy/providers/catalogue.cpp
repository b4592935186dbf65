#include "proxy/providers/catalogue.hpp"

#include "proxy/words/ascii.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>

namespace photofinish::proxy {

// These variables are defined in catalogue_text.cpp.in.
extern const std::string_view catalogue_text, catalogue_text_id, catalogue_text_date;

namespace {

constexpr std::size_t longest_model_name = 256;

bool are_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool ends_in_date(std::string_view name, char before) {
  constexpr std::size_t length = 9;  // the length of a date such as "-20260811"
  return name.size() > length && name[name.size() - length] == before && are_digits(name.substr(name.size() - 8));
}

bool ends_in_dashed_date(std::string_view name) {
  constexpr std::size_t length = 11;  // the length of a date such as "-2026-08-11"
  if (name.size() <= length) return false;
  const std::string_view end = name.substr(name.size() - length);
  return end[0] == '-' && end[5] == '-' && end[8] == '-' && are_digits(end.substr(1, 4)) &&
         are_digits(end.substr(6, 2)) && are_digits(end.substr(9));
}

// Returns a model's name without the version that a cloud has added, such as "-v1", "-v1:0" or "@default".
std::string_view without_version(std::string_view name) {
  constexpr std::string_view unnamed = "@default";
  if (name.ends_with(unnamed)) return name.substr(0, name.size() - unnamed.size());
  std::string_view base = name;
  if (const std::size_t colon = base.rfind(':'); colon != std::string_view::npos && are_digits(base.substr(colon + 1)))
    base = base.substr(0, colon);
  const std::size_t mark = base.rfind("-v");
  const bool is_version = mark != std::string_view::npos && mark + 2 < base.size() && are_digits(base.substr(mark + 2));
  return is_version ? base.substr(0, mark) : name;
}

std::string_view without_date(std::string_view name) {
  if (ends_in_date(name, '-') || ends_in_date(name, '@')) return name.substr(0, name.size() - 9);
  if (ends_in_dashed_date(name)) return name.substr(0, name.size() - 11);
  return name;
}

template <class Entry>
bool is_before(const Entry& entry, std::string_view name) {
  return entry.first < name;
}

}  // namespace

const tier_prices::by_tier& tier_prices::all() const {
  static const by_tier none;
  return all_ ? *all_ : none;
}

const model_prices* catalogue_model::prices_of(price_tier tier) const {
  const auto price = [this](price_tier each) {
    const auto place = prices.find(each);
    return place == prices.end() ? nullptr : &place->second;
  };
  if (const model_prices* own = price(tier)) return own;
  if (tier == price_tier::fast) return price(price_tier::priority);
  return tier == price_tier::priority ? price(price_tier::fast) : nullptr;
}

catalogue::catalogue(contents all) : all_(std::move(all)) {
  for (const auto& [provider, models] : all_.models)
    for (const catalogue_model& model : models) {
      for (const std::string& name : model.names) names_[provider].emplace_back(name, &model);
      for (const std::string& prefix : model.prefixes) prefixes_[provider].emplace_back(prefix, &model);
    }
  for (auto* by_provider : {&names_, &prefixes_})
    for (auto& entry : *by_provider) std::sort(entry.second.begin(), entry.second.end());
}

std::string catalogue::source_text() const {
  std::string text;
  for (const catalogue_source& each : all_.sources)
    text.append(text.empty() ? "" : ", ").append(each.name + " " + each.version + " (" + each.licence + ")");
  return text;
}

const catalogue_model* catalogue::find(std::string_view provider, std::string_view model) const {
  const auto names = names_.find(provider);
  if (names == names_.end() || model.size() > longest_model_name) return nullptr;
  const auto row_of = [&index = names->second](std::string_view name) -> const catalogue_model* {
    const auto place = std::lower_bound(index.begin(), index.end(), name, is_before<index::value_type>);
    return place != index.end() && place->first == name ? place->second : nullptr;
  };
  const std::string lower = ascii_lower(model);
  if (const catalogue_model* own = row_of(lower)) return own;
  const std::string_view unversioned = without_version(lower);
  for (const std::string_view shorter : {unversioned, without_date(unversioned)})
    if (const catalogue_model* row = row_of(shorter)) return row;
  const auto prefixes = prefixes_.find(provider);
  if (prefixes == prefixes_.end()) return nullptr;
  const auto is_prefix = [&](const auto& each) { return std::string_view(lower).starts_with(each.first); };
  const index& all = prefixes->second;
  // Searches from the end of the sorted list, so that the longest matching prefix is found first.
  const auto longest = std::find_if(all.rbegin(), all.rend(), is_prefix);
  return longest == all.rend() ? nullptr : longest->second;
}

const model_prices* catalogue::prices(std::string_view provider, std::string_view model, price_tier tier) const {
  const catalogue_model* row = find(provider, model);
  return row ? row->prices_of(tier) : nullptr;
}

const beta_names* catalogue::betas(std::string_view cloud) const {
  const auto place = all_.betas.find(cloud);
  return place == all_.betas.end() ? nullptr : &place->second;
}

const std::shared_ptr<const catalogue>& built_in_catalogue() {
  static const std::shared_ptr<const catalogue> value = parse_catalogue(catalogue_text).value;
  return value;
}

std::string_view built_in_catalogue_id() { return catalogue_text_id; }

std::string_view built_in_catalogue_text() { return catalogue_text; }

std::chrono::sys_days built_in_catalogue_date() {
  const auto number = [](std::size_t begin, std::size_t length) {
    return parse_number<unsigned>(catalogue_text_date.substr(begin, length)).value_or(0);
  };
  const std::chrono::year year(static_cast<int>(number(0, 4)));
  return year / std::chrono::month(number(5, 2)) / std::chrono::day(number(8, 2));
}

const model_prices* built_in_prices(std::string_view provider, std::string_view model) {
  return provider.empty() ? nullptr : built_in_catalogue()->prices(provider, model, price_tier::standard);
}

}  // namespace photofinish::proxy
