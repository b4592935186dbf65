#include "proxy/providers/model_facts.hpp"

#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/found_facts.hpp"
#include "proxy/providers/model_rows.hpp"
#include "proxy/providers/provider.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace photofinish::proxy {
namespace {

// Caches the facts that were requested last. A request needs the facts about each target once or twice. Without the
// cache, each request for facts searches all patterns, which takes 5,500 instructions (measured with callgrind). A new
// name replaces the old name with the same hash index.
template <class Facts>
class last_answers {
 public:
  template <class Find>
  const Facts& get(const asked_model& asked, const Find& find) {
    if (asked.name.size() > longest_name || asked.place.size() > longest_name) return find();
    const std::uint64_t list = number_of(asked);
    // a request often needs the facts about one target twice in succession
    if (latest_->is_of(asked, list)) return *latest_->facts;
    const std::hash<std::string_view> hash;
    const std::size_t of_place = list != 0 ? list : hash(asked.place);
    answer& at = answers_[(hash(asked.name) + 31 * of_place) % answers_.size()];
    if (!at.is_of(asked, list)) at = {std::string(asked.name), std::string(asked.place), list, &find()};
    latest_ = &at;
    return *at.facts;
  }

 private:
  struct answer {
    std::string model;
    std::string place;
    std::uint64_t list = 0;  // the result of listed_models::number(), which is different for every provider
    const Facts* facts = nullptr;

    bool is_of(const asked_model& asked, std::uint64_t asked_list) const {
      return facts != nullptr && list == asked_list && model == asked.name && (list != 0 || place == asked.place);
    }
  };

  static std::uint64_t number_of(const asked_model& asked) {
    return asked.at == nullptr ? 0 : asked.at->listed.number();
  }

  // The maximum length of a cached name, in bytes. Real names are shorter, but a client may send a name of any length.
  static constexpr std::size_t longest_name = 200;
  std::array<answer, 128> answers_;
  const answer* latest_ = &answers_.front();
};

void add(const found_facts& found, model_facts& into) {
  into.thinking.efforts = found.efforts.words;
  into.known = found.known;
  into.max_output = found.max_output;
}

void add(const found_facts& found, openai_facts& into) {
  into.thinking.efforts = found.efforts;
  into.known = found.known;
  into.max_output = found.max_output;
  into.serves_chat = !found.is_responses_only;
  const auto& words = found.efforts.words;
  into.params.only_thinking = std::find(words.begin(), words.end(), "none") != words.end();
}

void add(const found_facts& found, converse_facts& into) { into.efforts = found.efforts.words; }

// Returns the normalized form of a model's name, because hosts spell the same name differently, for example
// zai-org/GLM-5.3, glm-5.3 and zai-glm-5-3.
std::string dashed(std::string_view model) {
  std::string name(model);
  for (char& each : name) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    if (each == '.') each = '-';
  }
  return name;
}

bool holds(const openai_facts& row, std::string_view place) { return holds_at(row.at, place); }
bool holds(const auto&, std::string_view) { return true; }

// Combines the rules of models.yaml with facts about models. Only a few of the many possible combinations are used, so
// a combination is created when a model first needs it. The combination is kept until the program ends, because
// requests refer to it. A newer catalogue adds only new combinations.
template <class Facts>
class joined_rows {
 public:
  joined_rows(std::vector<Facts> rules, fact_rows found, Facts unknown)
      : rules_(std::move(rules)), found_(std::move(found)), unknown_(std::move(unknown)) {}

  const std::vector<Facts>& rules() const { return rules_; }

  const Facts& find(const asked_model& asked) {
    const std::string name = dashed(asked.name);
    const auto is_its = [&](const Facts& row) { return holds(row, asked.place) && matches_any(row.match, name); };
    const auto rule = std::find_if(rules_.begin(), rules_.end(), is_its);
    const Facts& ruled = rule == rules_.end() ? unknown_ : *rule;
    const found_facts found = found_.find(asked, name);
    const std::lock_guard guard(guard_);
    std::unique_ptr<Facts>& joined = joined_[{&ruled, found}];
    if (!joined) {
      joined = std::make_unique<Facts>(ruled);
      add(found, *joined);
    }
    return *joined;
  }

 private:
  std::vector<Facts> rules_;
  fact_rows found_;
  Facts unknown_;
  std::mutex guard_;
  std::map<std::pair<const Facts*, found_facts>, std::unique_ptr<Facts>> joined_;
};

// Replaces dots with dashes in the patterns for Converse. Model names at Bedrock contain dots, but dots are replaced
// with dashes before a name is compared with a pattern.
template <class Row>
std::vector<Row> dashed_rows(std::vector<Row> rows) {
  for (Row& row : rows)
    for (std::string& each : row.match) each = dashed(each);
  return rows;
}

joined_rows<model_facts>& claudes() {
  static joined_rows<model_facts> all(read_families("families"), {read_fact_rows("claude"), true}, {});
  return all;
}

joined_rows<model_facts>& geminis() {
  static joined_rows<model_facts> all(read_families("gemini"), {read_fact_rows("gemini"), true},
                                      {.thinking = {.form = thinking_form::none}});
  return all;
}

joined_rows<openai_facts>& openais() {
  static joined_rows<openai_facts> all(read_openai_rows(), {read_fact_rows("openai"), false}, {});
  return all;
}

joined_rows<converse_facts>& converses() {
  static joined_rows<converse_facts> all(dashed_rows(read_converse_rows()),
                                         {dashed_rows(read_fact_rows("converse")), true}, {});
  return all;
}

const std::map<std::string, cloud_facts, std::less<>>& clouds() {
  static const auto all = read_clouds();
  return all;
}

// Returns the rules of a cloud, with the beta features that it accepts. If model_facts.yaml lists beta features that
// the cloud refuses, the cloud accepts all others. Otherwise, if the catalogue lists beta features for the cloud, the
// cloud accepts only these features.
const cloud_facts& find_cloud(std::string_view name, const provider* at) {
  static const cloud_facts anywhere;
  static std::mutex guard;
  static std::map<std::pair<const cloud_facts*, beta_names>, std::unique_ptr<cloud_facts>> all;
  const auto found = clouds().find(name);
  const cloud_facts& cloud = found == clouds().end() ? anywhere : found->second;
  const bool is_listed = at != nullptr && at->listed.number() != 0;
  const beta_names* const betas = (is_listed ? at->listed.list() : *built_in_catalogue()).betas(name);
  if (betas == nullptr || !cloud.refused_betas.empty()) return cloud;
  const std::lock_guard hold(guard);
  std::unique_ptr<cloud_facts>& joined = all[{&cloud, *betas}];
  if (!joined) {
    joined = std::make_unique<cloud_facts>(cloud);
    joined->takes_all_betas = false;
    joined->betas = *betas;
  }
  return *joined;
}

const std::map<std::string, std::vector<std::string>, std::less<>>& beta_members() {
  static const auto all = read_beta_members();
  return all;
}

}  // namespace

const std::vector<model_facts>& all_model_facts() {
  static const std::vector<model_facts> all = [] {
    std::vector<model_facts> joined = claudes().rules();
    joined.insert(joined.end(), geminis().rules().begin(), geminis().rules().end());
    return joined;
  }();
  return all;
}

const model_facts& facts_of(const asked_model& asked) {
  thread_local last_answers<model_facts> last;
  return last.get(asked, [&]() -> const model_facts& { return claudes().find(asked); });
}

const model_facts& gemini_facts_of(const asked_model& asked) {
  thread_local last_answers<model_facts> last;
  return last.get(asked, [&]() -> const model_facts& { return geminis().find(asked); });
}

const std::vector<openai_facts>& all_openai_facts() { return openais().rules(); }

const openai_facts& openai_facts_of(const asked_model& asked) {
  thread_local last_answers<openai_facts> last;
  return last.get(asked, [&]() -> const openai_facts& { return openais().find(asked); });
}

std::string_view place_of(const provider& target) {
  return target.preset.empty() ? std::string_view(target.url.host) : std::string_view(target.preset);
}

bool is_vertex(const base_url& url) { return url.path.ends_with("/publishers/anthropic"); }

std::string_view cloud_of(const provider& target) {
  if (is_vertex(target.url)) return "vertex";
  if (target.url.host.starts_with("bedrock-mantle.")) return "bedrock-mantle";
  const bool is_azure = target.preset == "azure-anthropic" || target.url.host.ends_with(".services.ai.azure.com");
  return is_azure ? "azure" : "";
}

asked_model model_at(const provider& target, std::string_view model) { return {model, place_of(target), &target}; }

const std::vector<converse_facts>& all_converse_facts() { return converses().rules(); }

const converse_facts& converse_facts_of(const asked_model& asked) {
  thread_local last_answers<converse_facts> last;
  return last.get(asked, [&]() -> const converse_facts& { return converses().find(asked); });
}

const cloud_facts& cloud_facts_of(std::string_view name, const provider* at) {
  thread_local last_answers<cloud_facts> last;
  return last.get({name, {}, at}, [&]() -> const cloud_facts& { return find_cloud(name, at); });
}

const std::vector<std::string>& members_of_beta(std::string_view beta) {
  static const std::vector<std::string> none;
  const auto found = beta_members().find(beta);
  return found == beta_members().end() ? none : found->second;
}

const std::vector<std::string>& all_beta_members() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> members;
    for (const auto& [beta, its] : beta_members()) members.insert(members.end(), its.begin(), its.end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }();
  return all;
}

void read_model_facts() {
  all_model_facts();
  all_openai_facts();
  all_converse_facts();
  all_beta_members();
  clouds();
}

}  // namespace photofinish::proxy
