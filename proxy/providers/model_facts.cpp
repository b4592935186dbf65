#include "proxy/providers/model_facts.hpp"

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

// What names meant when they were last asked for. A request asks once or twice for each of its targets, and to go
// through all patterns takes 5,500 instructions (callgrind). A name takes the place of one that falls to the same.
template <class Facts>
class last_answers {
 public:
  template <class Find>
  const Facts& get(std::string_view model, std::string_view place, const Find& find) {
    if (model.size() > longest_name || place.size() > longest_name) return find();
    if (latest_->is_of(model, place)) return *latest_->facts;  // questions about one target follow each other
    const std::hash<std::string_view> hash;
    answer& at = answers_[(hash(model) + 31 * hash(place)) % answers_.size()];
    if (!at.is_of(model, place)) at = {std::string(model), std::string(place), &find()};
    latest_ = &at;
    return *at.facts;
  }

 private:
  struct answer {
    std::string model;
    std::string place;
    const Facts* facts = nullptr;

    bool is_of(std::string_view asked_model, std::string_view asked_place) const {
      return facts != nullptr && model == asked_model && place == asked_place;
    }
  };

  static constexpr std::size_t longest_name = 200;  // bytes; real ones have fewer, and a caller may send any
  std::array<answer, 128> answers_;
  const answer* latest_ = &answers_.front();
};

void add(const found_facts& found, model_facts& into) {
  into.thinking.efforts = found.efforts.words;
  into.context = found.context;
  into.max_output = found.max_output;
}

void add(const found_facts& found, openai_facts& into) {
  into.thinking.efforts = found.efforts;
  into.context = found.context;
  into.max_output = found.max_output;
  into.serves_chat = !found.is_responses_only;
  const auto& words = found.efforts.words;
  into.params.only_thinking = std::find(words.begin(), words.end(), "none") != words.end();
}

void add(const found_facts& found, converse_facts& into) { into.efforts = found.efforts.words; }

// The rules of one file joined with the facts of the other. A pair of rows is joined when a name first asks for it:
// there are many pairs, and few are used.
template <class Facts>
class joined_rows {
 public:
  joined_rows(std::vector<Facts> rules, std::vector<found_facts> found, Facts unknown)
      : rules_(std::move(rules)), found_(std::move(found)), unknown_(std::move(unknown)) {}

  const std::vector<Facts>& rules() const { return rules_; }

  // `name` has dashes in place of dots.
  template <class Holds>
  const Facts& find(std::string_view name, const Holds& holds) {
    const auto is_its = [name](const auto& row) { return matches_any(row.match, name); };
    const auto rule = std::find_if(rules_.begin(), rules_.end(),
                                   [&](const Facts& row) { return holds(row) && is_its(row); });
    const auto found = std::find_if(found_.begin(), found_.end(), is_its);
    const Facts& ruled = rule == rules_.end() ? unknown_ : *rule;
    if (found == found_.end()) return ruled;
    const std::lock_guard guard(guard_);
    std::unique_ptr<Facts>& joined = joined_[{&ruled, &*found}];
    if (!joined) {
      joined = std::make_unique<Facts>(ruled);
      add(*found, *joined);
    }
    return *joined;
  }

 private:
  std::vector<Facts> rules_;
  std::vector<found_facts> found_;
  Facts unknown_;
  std::mutex guard_;
  std::map<std::pair<const Facts*, const found_facts*>, std::unique_ptr<Facts>> joined_;
};

bool holds_always(const auto&) { return true; }

// Hosts write one model in several ways: zai-org/GLM-5.3, glm-5.3, zai-glm-5-3.
std::string dashed(std::string_view model) {
  std::string name(model);
  for (char& each : name) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    if (each == '.') each = '-';
  }
  return name;
}

// Converse's rows have dots, as Bedrock's names do.
template <class Row>
std::vector<Row> dashed_rows(std::vector<Row> rows) {
  for (Row& row : rows)
    for (std::string& each : row.match) each = dashed(each);
  return rows;
}

joined_rows<model_facts>& claudes() {
  static joined_rows<model_facts> all(read_families("families"), read_found_facts("claude"), {});
  return all;
}

joined_rows<model_facts>& geminis() {
  static joined_rows<model_facts> all(read_families("gemini"), read_found_facts("gemini"),
                                      {.thinking = {.form = thinking_form::none}});
  return all;
}

joined_rows<openai_facts>& openais() {
  static joined_rows<openai_facts> all(read_openai_rows(), read_found_facts("openai"), {});
  return all;
}

joined_rows<converse_facts>& converses() {
  static joined_rows<converse_facts> all(dashed_rows(read_converse_rows()), dashed_rows(read_found_facts("converse")),
                                         {});
  return all;
}

bool holds_at(const openai_facts& row, std::string_view place) {
  const auto is_there = [place](const std::string& each) {
    return place == each || (place.size() > each.size() && place.ends_with(each) &&
                             place[place.size() - each.size() - 1] == '.');
  };
  return row.at.empty() || std::any_of(row.at.begin(), row.at.end(), is_there);
}

const std::map<std::string, cloud_facts, std::less<>>& clouds() {
  static const auto all = read_clouds();
  return all;
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

const model_facts& facts_of(std::string_view model) {
  thread_local last_answers<model_facts> last;
  return last.get(model, {}, [&]() -> const model_facts& {
    return claudes().find(dashed(model), holds_always<model_facts>);
  });
}

const model_facts& gemini_facts_of(std::string_view model) {
  thread_local last_answers<model_facts> last;
  return last.get(model, {}, [&]() -> const model_facts& {
    return geminis().find(dashed(model), holds_always<model_facts>);
  });
}

const std::vector<openai_facts>& all_openai_facts() { return openais().rules(); }

const openai_facts& openai_facts_of(std::string_view model, std::string_view place) {
  thread_local last_answers<openai_facts> last;
  const auto holds = [place](const openai_facts& row) { return holds_at(row, place); };
  return last.get(model, place, [&]() -> const openai_facts& { return openais().find(dashed(model), holds); });
}

std::string_view place_of(const provider& target) {
  return target.preset.empty() ? std::string_view(target.url.host) : std::string_view(target.preset);
}

const std::vector<converse_facts>& all_converse_facts() { return converses().rules(); }

const converse_facts& converse_facts_of(std::string_view model) {
  thread_local last_answers<converse_facts> last;
  return last.get(model, {}, [&]() -> const converse_facts& {
    return converses().find(dashed(model), holds_always<converse_facts>);
  });
}

const cloud_facts& cloud_facts_of(std::string_view name) {
  static const cloud_facts anywhere;
  const auto found = clouds().find(name);
  return found == clouds().end() ? anywhere : found->second;
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
