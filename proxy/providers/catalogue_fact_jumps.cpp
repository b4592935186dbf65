#include "proxy/providers/catalogue_fact_jumps.hpp"

#include "proxy/words/contains.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

namespace {

constexpr std::uint64_t deepest_fall = 10;
// An update may change `responses_only` for at most this many model names of a provider.
constexpr std::size_t most_changed_apis = 5;
// An update may always remove a fact from this many model names of a provider.
constexpr std::size_t always_lost = 2;
// An update may always set end dates in the past for this many model names of a provider.
constexpr std::size_t always_ended = 10;
// If an update sets end dates in the past for more than always_ended model names of a provider, these names may be at
// most one in ten of the provider's names.
constexpr std::size_t smallest_ended_part = 10;

// Counts the model names for which a fact was known before an update, and the names for which the update removes at
// least a part of the fact.
struct lost_fact {
  std::size_t before = 0, lost = 0;

  void add(bool was_known, bool is_known) {
    before += was_known;
    lost += was_known && !is_known;
  }
  bool is_jump() const { return lost > always_lost && lost * 2 > before; }
};

bool keeps_words(const known_efforts& was, const known_efforts& is) {
  return std::all_of(was.words.begin(), was.words.end(),
                     [&is](const std::string& word) { return contains(is.words, word); });
}

std::string fall_problem(std::string_view what, const std::string& name, std::uint64_t from, std::uint64_t to) {
  if (to == 0 || to > from / deepest_fall || to * deepest_fall == from) return {};
  return "the " + std::string(what) + " of " + name + " falls from " + std::to_string(from) + " to " +
         std::to_string(to) + ", by more than a factor of ten";
}

// Compares the facts about all model names of one provider.
class provider_facts {
 public:
  provider_facts(const std::string& provider, std::chrono::sys_days today) : provider_(provider), today_(today) {}

  // Compares the facts about one model name. Returns a text that describes a problem with this name, or an empty text.
  std::string add(const std::string& name, const catalogue_model& was, const catalogue_model& is) {
    ++names_;
    efforts_.add(was.efforts.are_known, keeps_words(was.efforts, is.efforts));
    context_.add(was.context != 0, is.context != 0);
    max_output_.add(was.max_output != 0, is.max_output != 0);
    changed_apis_ += was.is_responses_only != is.is_responses_only;
    ended_ += is.ends && *is.ends < today_ && is.ends != was.ends;
    const std::string full = provider_ + "/" + name;
    std::string problem = fall_problem("context", full, was.context, is.context);
    return problem.empty() ? fall_problem("max_output", full, was.max_output, is.max_output) : problem;
  }

  std::string problem() const {
    if (efforts_.is_jump()) return lost_text(efforts_, "efforts");
    if (context_.is_jump()) return lost_text(context_, "their context");
    if (max_output_.is_jump()) return lost_text(max_output_, "their max_output");
    if (changed_apis_ > most_changed_apis)
      return "responses_only changes for " + std::to_string(changed_apis_) + " model names of provider '" + provider_ +
             "'";
    if (ended_ > always_ended && ended_ * smallest_ended_part > names_)
      return "the end date of " + std::to_string(ended_) + " model names of provider '" + provider_ +
             "' moves into the past";
    return {};
  }

 private:
  std::string lost_text(const lost_fact& fact, std::string_view what) const {
    return std::to_string(fact.lost) + " of " + std::to_string(fact.before) + " model names of provider '" + provider_ +
           "' lose " + std::string(what);
  }

  const std::string& provider_;
  std::chrono::sys_days today_;
  std::size_t names_ = 0, changed_apis_ = 0, ended_ = 0;
  lost_fact efforts_, context_, max_output_;
};

std::string names_problem(const catalogue& before, const catalogue& next, const std::string& provider) {
  provider_facts facts(provider, next.as_of());
  for (const catalogue_model& was : before.models().at(provider))
    for (const auto* names : {&was.names, &was.prefixes})
      for (const std::string& name : *names)
        if (const catalogue_model* is = next.find(provider, name))
          if (std::string problem = facts.add(name, was, *is); !problem.empty()) return problem;
  return facts.problem();
}

std::string beta_problem(const catalogue& before, const catalogue& next) {
  for (const auto& [cloud, was] : before.betas()) {
    const beta_names* is = next.betas(cloud);
    const auto lost = std::count_if(was.begin(), was.end(), [is](const auto& beta) {
      return is == nullptr || !is->contains(beta.first);
    });
    if (static_cast<std::size_t>(lost) * 2 > was.size())
      return std::to_string(lost) + " of " + std::to_string(was.size()) + " betas of '" + cloud + "' were removed";
  }
  return {};
}

}  // namespace

std::string fact_jump(const catalogue& before, const catalogue& next) {
  for (const auto& [provider, models] : before.models())
    if (std::string problem = names_problem(before, next, provider); !problem.empty()) return problem;
  return beta_problem(before, next);
}

}  // namespace photofinish::proxy
