// Tests the newest models of each lab (flagships.json, which make_catalogue.py writes) and the targets of the built-in race groups. Each
// model must have its own price. Each flagship must have its own rule, and the rules must agree with the public lists. All date checks use
// the date of these lists, never today.
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/words/ascii.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::proxy::rules {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::sys_days;

// A known difference between a model's rule and the public lists. A person has checked the difference on the day `date`. The exception
// expires 60 days later.
struct exception {
  const char* provider;
  const char* model;
  const char* fact;
  const char* reason;
  sys_days date;
};

constexpr sys_days looked_at = 2026y / 11 / 29;
constexpr std::chrono::days lifetime{60};

const std::vector<exception>& exceptions() {
  static const std::vector<exception> all{
      {"anthropic", "claude-sonnet-5-5", "always_thinks", "LiteLLM's flag; the type between_tools turns it off before the first call", looked_at},
      {"mistral", "mistral-large-4", "efforts", "pi-ai has low to high, LiteLLM none and high: words pass as the client wrote them", looked_at},
      {"nvidia", "openai/gpt-oss-120b", "price", "a free tier", looked_at},
      {"nvidia", "z-ai/glm-5.3", "price", "a free tier", looked_at},
      {"nvidia", "z-ai/glm-5.3-flash", "price", "a free tier", looked_at},
      {"deepinfra", "zai-org/GLM-5.3", "price", "only models.dev lists it, without a price", looked_at},
      {"deepinfra", "zai-org/GLM-5.3-Flash", "price", "only models.dev lists it, without a price", looked_at},
      {"siliconflow", "zai-org/GLM-5.3", "price", "only models.dev lists it, without a price", looked_at},
      {"siliconflow", "zai-org/GLM-5.3-Flash", "price", "only models.dev lists it, without a price", looked_at},
  };
  return all;
}

// Records which entries of the list of exceptions a test has used.
class used_exceptions {
 public:
  explicit used_exceptions(sys_days as_of) : as_of_(as_of) {}

  bool allow(const std::string& provider, const std::string& model, const std::string& fact) {
    const auto is_it = [&](const exception& each) { return provider == each.provider && model == each.model && fact == each.fact; };
    const auto found = std::find_if(exceptions().begin(), exceptions().end(), is_it);
    if (found == exceptions().end()) return false;
    EXPECT_GT(std::string(found->reason).size(), 5u) << model;
    EXPECT_LE(as_of_, found->date + lifetime) << provider << "/" << model << ": look again whether this still holds: " << found->reason;
    used_.insert(&*found);
    return true;
  }

  void expect_all_used(bool is_of_price) const {
    for (const exception& each : exceptions()) {
      if ((each.fact == std::string("price")) != is_of_price) continue;
      EXPECT_TRUE(used_.contains(&each)) << each.model << " needs no exception for " << each.fact;
    }
  }

 private:
  sys_days as_of_;
  std::set<const exception*> used_;
};

sys_days date_of(const std::string& text) {
  return std::chrono::year(std::stoi(text.substr(0, 4))) / std::stoi(text.substr(5, 2)) / std::stoi(text.substr(8, 2));
}

const json& lists() {
  static const json read = json::parse(tests::source_file("proxy/providers/data/flagships.json"));
  return read;
}

sys_days day_of_lists() { return date_of(lists().at("as_of")); }

// The parts of a model's rules that the public lists may confirm or contradict.
struct ruled {
  bool has_row = false;
  std::optional<std::vector<std::string>> efforts;
  std::optional<bool> forced_tools, sampling, prefill, always_thinks;
};

ruled rules_of_family(const model_facts& facts) {
  ruled rules{.has_row = !facts.match.empty() && !facts.is_catch_all};
  const bool thinks_by_words = facts.thinking.form == thinking_form::adaptive || facts.thinking.form == thinking_form::level;
  if (thinks_by_words) rules.efforts = facts.thinking.efforts;
  rules.forced_tools = facts.takes_forced_calls;
  const auto& drop = facts.drop_params;
  rules.sampling = std::find(drop.begin(), drop.end(), "temperature") == drop.end();
  rules.prefill = facts.takes_prefill;
  if (facts.thinking.form == thinking_form::adaptive) rules.always_thinks = facts.thinking.is_always_on;
  return rules;
}

ruled rules_of(const std::string& provider, const std::string& model) {
  const std::string dialect = presets().at(provider).defaults.dialect;
  if (dialect == "anthropic") return rules_of_family(facts_of(model));
  if (dialect == "gemini") return rules_of_family(gemini_facts_of(model));
  const openai_facts& facts = openai_facts_of(model, provider);
  ruled rules{.has_row = !facts.match.empty() && !facts.is_catch_all};
  if (facts.thinking.efforts.are_known) rules.efforts = facts.thinking.efforts.words;
  rules.forced_tools = facts.tools.forced != forced_calls::refused;
  rules.always_thinks = facts.thinking.is_always_on;
  return rules;
}

bool has_own_price(const std::string& provider, const std::string& model) {
  const catalogue_model* row = built_in_catalogue()->find(provider, model);
  if (!row || row->prices.find(price_tier::standard) == row->prices.end()) return false;
  return std::find(row->names.begin(), row->names.end(), ascii_lower(model)) != row->names.end();
}

TEST(Flagships, EachHasARuleOfItsOwn) {
  ASSERT_GE(lists().at("flagships").size(), 20u);
  for (const json& each : lists().at("flagships"))
    EXPECT_TRUE(rules_of(each.at("provider"), each.at("name")).has_row)
        << each << ": models.yaml has only a row for models that no other row names";
}

TEST(Flagships, EachTargetHasAPriceOfItsOwn) {
  used_exceptions allowed(day_of_lists());
  const auto check = [&](const std::string& provider, const std::string& model) {
    if (has_own_price(provider, model)) return;
    EXPECT_TRUE(allowed.allow(provider, model, "price"))
        << provider << "/" << model << ": the catalogue has no price for exactly this name";
  };
  for (const json& each : lists().at("flagships")) check(each.at("provider"), each.at("name"));
  for (const race_group& group : race_groups())
    for (const std::string& target : group.targets) {
      const std::size_t slash = target.find('/');
      check(target.substr(0, slash), target.substr(slash + 1));
    }
  allowed.expect_all_used(true);
}

// If a public list does not mention a fact, the list does not contradict the model's rule.
TEST(Flagships, TheirRulesSayWhatTheListsSay) {
  used_exceptions allowed(day_of_lists());
  for (const json& each : lists().at("flagships")) {
    const std::string provider = each.at("provider"), name = each.at("name");
    const ruled rules = rules_of(provider, name);
    const auto compare = [&](const char* fact, const json& own) {
      if (!each.contains(fact) || own == each[fact]) return;
      EXPECT_TRUE(allowed.allow(provider, name, fact))
          << provider << "/" << name << ": the lists have " << fact << " " << each[fact] << ", the rules " << own;
    };
    compare("efforts", rules.efforts ? json(*rules.efforts) : json());
    if (rules.forced_tools) compare("forced_tools", *rules.forced_tools);
    if (rules.sampling) compare("sampling", *rules.sampling);
    if (rules.prefill) compare("prefill", *rules.prefill);
    if (rules.always_thinks) compare("always_thinks", *rules.always_thinks);
  }
  allowed.expect_all_used(false);
}

TEST(Flagships, AnExceptionExpires) {
  used_exceptions fresh(looked_at + lifetime);
  EXPECT_TRUE(fresh.allow("nvidia", "z-ai/glm-5.3", "price"));
  EXPECT_FALSE(fresh.allow("nvidia", "z-ai/glm-5.3", "efforts")) << "another fact";
  for (const exception& each : exceptions()) EXPECT_LE(each.date, day_of_lists() + lifetime) << each.model;
}

}  // namespace
}  // namespace photofinish::proxy::rules
