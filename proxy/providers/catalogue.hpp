// The list of models at providers, with their prices, limits, efforts and end dates, and the beta features of clouds.
// data/catalogue.json, which make_catalogue.py writes, is compiled into the program, and a newer file can replace it.
// docs/catalogue.md explains each member of the file. [pure but for SHA-256] A catalogue never changes after it was
// read.
#pragma once

#include "proxy/providers/fact_types.hpp"
#include "proxy/providers/price_tier.hpp"
#include "proxy/providers/prices.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The prices of a model by tier. Many models have the same prices, so copies of this object share one table.
class tier_prices {
 public:
  using by_tier = std::map<price_tier, model_prices>;

  tier_prices() = default;
  explicit tier_prices(by_tier all) : all_(std::make_shared<const by_tier>(std::move(all))) {}

  bool empty() const { return all_ == nullptr || all_->empty(); }
  by_tier::const_iterator begin() const { return all().begin(); }
  by_tier::const_iterator end() const { return all().end(); }
  by_tier::const_iterator find(price_tier tier) const { return all().find(tier); }
  const model_prices& at(price_tier tier) const { return all().at(tier); }

 private:
  const by_tier& all() const;

  std::shared_ptr<const by_tier> all_;  // the prices of each tier; null if there are no prices
};

// A public list of models that the catalogue's generator has read.
struct catalogue_source {
  std::string name;
  std::string version;
  std::string licence;
  std::chrono::sys_days date;  // the date of the list's newest fact
};

// One model at one provider. It may have several names, for which all facts are the same.
struct catalogue_model {
  std::vector<std::string> names;     // the model's names in lower case
  // Prefixes of model names; a prefix applies only to names that are not listed anywhere.
  std::vector<std::string> prefixes;
  std::vector<std::size_t> sources;   // indices into catalogue::sources(); the first one is the source of the prices
  tier_prices prices;                 // the model's prices; empty if they are not known
  // The maximum size of a prompt in tokens. Some sources give the size of the prompt and the answer together. 0 if
  // unknown.
  std::uint64_t context = 0;
  std::uint64_t max_output = 0;       // the maximum size of an answer in tokens; 0 if unknown
  known_efforts efforts;
  // Kinds of input, such as "text", "image", "audio", "video", "pdf". Empty if unknown.
  std::vector<std::string> reads;
  std::vector<std::string> writes;  // the kinds of output, in the same words as the kinds of input
  bool is_responses_only = false;
  std::optional<std::chrono::sys_days> ends;
  std::string successor;

  // Returns the model's prices in a service tier, or null if they are unknown. If only one of the tiers `priority` and
  // `fast` has a price, both tiers get this price.
  const model_prices* prices_of(price_tier tier) const;
};

// Maps the name of a beta feature in the header anthropic-beta to the cloud's name for that feature.
using beta_names = std::map<std::string, std::string, std::less<>>;

class catalogue {
 public:
  using models_by_provider = std::map<std::string, std::vector<catalogue_model>, std::less<>>;
  using betas_by_cloud = std::map<std::string, beta_names, std::less<>>;

  struct contents {
    std::string id;
    std::chrono::sys_days as_of;
    std::vector<catalogue_source> sources;
    models_by_provider models;
    betas_by_cloud betas;
  };

  explicit catalogue(contents all);
  catalogue(const catalogue&) = delete;
  catalogue& operator=(const catalogue&) = delete;

  const std::string& id() const { return all_.id; }  // the SHA-256 of the catalogue's text, in hex
  std::chrono::sys_days as_of() const { return all_.as_of; }
  const std::vector<catalogue_source>& sources() const { return all_.sources; }
  std::string source_text() const;  // returns a text such as "genai-prices 0.2.3 (MIT), litellm 1.110.2 (MIT)"
  const models_by_provider& models() const { return all_.models; }

  // Returns a model, or null if the catalogue does not contain it. `provider` is the name of a preset, optionally
  // followed by "/regional". If a name is not listed, it is looked up without its date or version, and then by the
  // longest listed prefix that matches. Names longer than 256 bytes are never found.
  const catalogue_model* find(std::string_view provider, std::string_view model) const;
  const model_prices* prices(std::string_view provider, std::string_view model, price_tier tier) const;

  const betas_by_cloud& betas() const { return all_.betas; }
  // Returns the beta features that a cloud accepts, with the cloud's names for them. Returns null if they are unknown.
  const beta_names* betas(std::string_view cloud) const;

 private:
  using index = std::vector<std::pair<std::string_view, const catalogue_model*>>;  // ascending

  contents all_;
  std::map<std::string_view, index> names_;     // the models by name, for each provider
  std::map<std::string_view, index> prefixes_;  // the models by prefix of the name, for each provider
};

struct catalogue_result {
  std::shared_ptr<const catalogue> value;
  // a sentence that explains why the catalogue is invalid, if `value` is null
  std::string error;
};

// Parses the text of a catalogue.json. `catalogue_schema` is the newest version of the file format that this program
// can read.
catalogue_result parse_catalogue(std::string_view text);
constexpr int catalogue_schema = 1;

// Returns the catalogue that is compiled into the program. The catalogue is parsed at the first call and kept until the
// program ends.
const std::shared_ptr<const catalogue>& built_in_catalogue();

// These functions return the id, the text and the date of the built-in catalogue without parsing its text.
std::string_view built_in_catalogue_id();
std::string_view built_in_catalogue_text();
std::chrono::sys_days built_in_catalogue_date();

// Returns the model's price in the standard tier from the built-in catalogue, or null if it is unknown. If `provider`
// is empty, the catalogue is not loaded, because it takes several megabytes of memory.
const model_prices* built_in_prices(std::string_view provider, std::string_view model);

}  // namespace photofinish::proxy
