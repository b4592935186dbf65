#include "gateway/attempts/setup/race_setup.hpp"

#include "gateway/access/fingerprints.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/attempts/setup/facts_check.hpp"
#include "gateway/attempts/setup/rule_match.hpp"
#include "proxy/dialects/openai/openai_formats.hpp"
#include "proxy/dialects/responses/response_request.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/http/trace_context.hpp"
#include "proxy/json/repeated_member.hpp"
#include "proxy/providers/model_facts.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the id under which rate limits are counted: a pair of a key and a target. Therefore a client with its own key
// cannot cause a cooldown for other clients.
racing::candidate_id id_of(const target_name& target, const chosen_key& key, std::uint64_t salt) {
  if (key.source != key_source::own) return target.text();
  return target.text() + "#" + proxy::to_hex(salted_print(key.key.reveal(), salt));
}

api_error not_on_our_key(const target_name& target) {
  api_error error = bad_request(
      "'" + target.text() + "' may not be called with this gateway's own key: send your own key in x-provider-key-" +
          target.provider + ", or ask the operator to list the model in providers." + target.provider + ".models",
      "model", "model_not_found");
  error.status = 404;
  return error;
}

constexpr std::string_view thread_field = "thread";

// Returns the error for a request that uses `thread` although its model has several targets. After this error, SDKs
// send the whole conversation with each request, so that any target can answer.
api_error one_target_only(const race_request& request) {
  return bad_request("'thread' needs a single target, which keeps the conversation, "
                     "but " + in_quotes(request.asked.model) +
                         " has several targets: send the whole conversation",
                     std::string(thread_field), "unsupported_parameter");
}

api_error not_among(const target_name& target, const race_request& request) {
  if (request.asked.state.field == thread_field) return no_such_thread();
  return bad_request("'" + std::string(request.asked.state.field) + "' belongs to " + target.text() +
                         ", which is not a target of " + in_quotes(request.asked.model) +
                         ": name a route or model with this target",
                     "model");
}

std::optional<api_error> choose_targets(const race_request& request, const runnable& wanted, race_setup& setup) {
  const bool is_route = request.settings.routes.contains(wanted.route);
  setup.candidates.reserve(wanted.targets.size());
  for (const target_name& target : wanted.targets) {
    if (request.only != nullptr && !(target == *request.only)) continue;
    const proxy::provider& provider = request.settings.providers.at(target.provider);
    race_candidate each{&provider, target, key_for(provider, request.keys, request.settings, wanted.targets), {}};
    if (!is_route && each.key.source == key_source::configured && !may_call_directly(request.settings, target))
      return not_on_our_key(target);
    each.id = id_of(target, each.key, request.fingerprint_salt);
    setup.candidates.push_back(std::move(each));
  }
  if (setup.candidates.empty()) return not_among(*request.only, request);
  return std::nullopt;
}

const proxy::dialect& dialect_of(const race_candidate& each, const race_request& request) {
  return *proxy::find_dialect(each.provider->dialect, request.dialects);
}

asked_form form_at(const race_candidate& each, const proxy::dialect& dialect, const parsed_request& asked) {
  return form_for(asked, dialect.speaks(asked.format, *each.provider, each.target.sent_model(), *asked.body));
}

// The request in the API format of one target.
struct spoken_request {
  const proxy::dialect& dialect;
  asked_form form;
};

std::vector<spoken_request> speak_to_all(const race_request& request, const race_setup& setup) {
  std::vector<spoken_request> all;
  all.reserve(setup.candidates.size());
  for (const race_candidate& each : setup.candidates) {
    const proxy::dialect& dialect = dialect_of(each, request);
    all.push_back({dialect, form_at(each, dialect, request.asked)});
  }
  return all;
}

// Returns the API of the request if no target of the route is known to serve this API. The race then also tries targets
// whose APIs are unknown. Returns nothing for the chat API and the Responses API. Requests of the Responses API store
// data, and can be translated to the chat API instead.
std::optional<proxy::served_api> untold_api(const race_request& request, const race_setup& setup) {
  const proxy::openai_format* const format = proxy::find_openai_format(request.asked.format);
  if (format == nullptr) return std::nullopt;
  const proxy::served_api api = format->api;
  const auto says_so = [api](const race_candidate& each) { return each.provider->apis.contains(api); };
  const bool is_conversation = api == proxy::served_api::chat || api == proxy::served_api::responses;
  if (is_conversation || std::any_of(setup.candidates.begin(), setup.candidates.end(), says_so)) return std::nullopt;
  return api;
}

std::optional<std::string_view> unsupported_at(const race_candidate& each, const proxy::dialect& dialect,
                                               const asked_form& form, std::optional<proxy::served_api> untold) {
  if (!untold || !each.provider->may_serve_others) return dialect.unsupported(*form.body, form.format, *each.provider);
  proxy::provider tried = *each.provider;
  tried.apis.add(*untold);
  return dialect.unsupported(*form.body, form.format, tried);
}

// Checks whether a target may take part in the race.
struct target_checks {
  facts_check facts;
  price_check prices;
  std::optional<proxy::served_api> untold;
};

racing::candidate candidate_of(const race_candidate& each, const spoken_request& spoken, const race_request& request,
                               target_checks& checks) {
  racing::candidate candidate{each.id, each.key.source != key_source::none, std::nullopt};
  candidate.unmet = checks.facts.unmet(each);
  candidate.too_long = checks.facts.too_long(each);
  candidate.unpriced = checks.prices.missing_tier(each);
  candidate.is_busy = request.is_full && request.is_full(*each.provider);
  const auto& [dialect, form] = spoken;
  if (!form.unsupported.empty()) candidate.unsupported_param = form.unsupported;
  else candidate.unsupported_param = unsupported_at(each, dialect, form, checks.untold);
  if (!candidate.unsupported_param)
    candidate.unsupported_param =
        dialect.unsupported_by_model(*form.body, form.format, each.target.sent_model(), *each.provider);
  return candidate;
}

// Returns true if `unsupported` is the name of the request's API, not the name of a parameter.
bool is_api_name(std::string_view unsupported, const parsed_request& asked) {
  return proxy::parse_served_api(unsupported) && asked.body->value_of(unsupported).empty();
}

api_error none_can_run(const race_request& request, const runnable& wanted, const race_setup& setup) {
  const auto is_keyless = [](const racing::skipped_candidate& each) {
    return each.reason == racing::skip_reason::no_key;
  };
  const auto& skipped = setup.planned.skipped;
  const auto is_busy = [](const racing::skipped_candidate& each) { return each.reason == racing::skip_reason::busy; };
  if (std::all_of(skipped.begin(), skipped.end(), is_keyless))
    return to_api_error(no_key_for(wanted.targets, request.settings));
  std::vector<unpriced_target> unpriced;
  for (const auto& [index, reason, detail] : skipped)
    if (reason == racing::skip_reason::unpriced) unpriced.push_back({setup.candidates[index].target, detail});
  if (!unpriced.empty()) return price_unknown(request.asked.model, unpriced);
  std::string message = "no target of " + in_quotes(request.asked.model) + " can run this request:";
  std::string parameter;
  const char* separator = " ";
  for (const auto& [index, reason, detail] : skipped) {
    message += separator + setup.candidates[index].target.text() + " (" + std::string(to_string(reason)) +
               (detail.empty() ? "" : ": " + detail) + ")";
    separator = ", ";
    if (parameter.empty() && reason == racing::skip_reason::unsupported) parameter = detail;
  }
  const auto lacks_api = [&](const racing::skipped_candidate& each) {
    return each.reason == racing::skip_reason::unsupported && is_api_name(each.detail, request.asked);
  };
  if (const auto found = std::find_if(skipped.begin(), skipped.end(), lacks_api); found != skipped.end()) {
    const std::string& provider = setup.candidates[found->candidate].target.provider;
    message += "; a provider gets only requests for the APIs in its setting `apis`: if " + provider + " serves " +
               std::string(found->detail) + ", add that API to providers." + provider + ".apis";
    if (is_api_name(parameter, request.asked)) parameter = "model";
  }
  if (std::any_of(skipped.begin(), skipped.end(), is_busy)) return provider_busy(std::move(message));
  return bad_request(std::move(message), std::move(parameter), "unsupported_parameter");
}

// Records whether the request lacks the member `store`, and whether one of its targets would then store the answer.
// Targets with the Responses API do so by default.
void note_unsaid(const race_request& request, const runnable& wanted, race_setup& setup) {
  constexpr auto responses = proxy::wire_format::openai_responses;
  if (wanted.race.stored != racing::stored_answers::by_default || request.asked.format != responses) return;
  setup.is_store_unsaid = proxy::leaves_store_unsaid(*request.asked.body);
  const auto keeps = [&request](const race_candidate& each) {
    return form_at(each, dialect_of(each, request), request.asked).format == responses;
  };
  setup.is_kept_unsaid =
      setup.is_store_unsaid && std::any_of(setup.candidates.begin(), setup.candidates.end(), keeps);
}

// Returns true if a target of the plan would store the answer.
bool is_stored(const race_setup& setup, std::span<const spoken_request> spoken) {
  if (setup.is_kept_unsaid) return true;
  for (std::size_t index = 0; index < spoken.size(); ++index) {
    const auto& [dialect, form] = spoken[index];
    if (form.body && dialect.stores(*form.body, form.format, *setup.candidates[index].provider)) return true;
  }
  return false;
}

api_error refuse_stored(std::string_view asked_by) {
  const std::string field(asked_by.empty() ? "store" : asked_by);
  return bad_request("'" + field +
                         "' asks the provider to store the answer, but this race does not accept such requests, "
                         "because the answer of each attempt would be stored; omit this field, or set race.stored to "
                         "fallback",
                     field, "unsupported_parameter");
}

void sort_by_speed(const race_request& request, const runnable& wanted,
                   const std::vector<racing::candidate>& candidates, const racing::plan_overrides& overrides,
                   race_setup& setup) {
  racing::planned_race& planned = setup.planned;
  const bool is_adaptive = planned.plan.policy == racing::race_policy::adaptive;
  // if there is only one target, its speed does not matter
  if (is_adaptive && candidates.size() == 1) planned.plan.policy = racing::race_policy::fallback;
  if (!request.speed || candidates.size() < 2 || !(is_adaptive || needs_speed(wanted.race))) return;
  setup.speed = set_up_forecast(*request.speed, request.asked, setup.candidates, setup.compared, request.now);
  if (!setup.speed) return;
  setup.speed->terms.caller = caller_print(request.who.name(), request.fingerprint_salt);
  if (request.speed->prefixes != nullptr && racing::follows_cache(wanted.race))
    setup.prefixes =
        follow_prefixes(*request.speed, request.asked, setup.route, setup.candidates, *setup.speed);
  plan_by_speed(setup.speed->terms, candidates, wanted.race, overrides, request.board, request.now, planned);
}

const route_rule* find_rule(const route& of, const std::string& name) {
  const auto is_it = [&name](const route_rule& each) { return each.name == name; };
  const auto found = std::find_if(of.rules.begin(), of.rules.end(), is_it);
  return found == of.rules.end() ? nullptr : &*found;
}

void take_rule(const race_request& request, runnable& wanted, race_setup& setup) {
  if (wanted.from == nullptr) return;
  wanted.require = &wanted.from->require;
  const route_rule* rule = request.settled_rule != nullptr ? find_rule(*wanted.from, *request.settled_rule)
                                                           : first_rule(*wanted.from, request.asked, request.marks);
  if (rule == nullptr) return;
  // Some requests must go to the target that stores the data of an earlier request. If the rule does not name this
  // target, the rule is skipped.
  const auto& named = rule->targets;
  const bool is_bound = request.only != nullptr && !named.empty();
  if (is_bound && std::find(named.begin(), named.end(), *request.only) == named.end()) return;
  setup.rule = rule->name;
  setup.compared = name_compared(*wanted.from, *rule);
  wanted.race = rule->race;
  wanted.require = &rule->require;
  if (!rule->targets.empty()) wanted.targets = rule->targets;
}

bool reads_content(const route_rule& rule) {
  return !rule.task.empty() || rule.min_input_tokens || rule.max_input_tokens || rule.tools || rule.response_format ||
         rule.max_tokens || rule.is_apply;
}

bool reads_content(const runnable& wanted) {
  if (wanted.race.stored == racing::stored_answers::refuse) return true;
  const route* const from = wanted.from;
  if (from == nullptr) return false;
  const auto reads = [](const route_rule& each) { return reads_content(each); };
  return from->cache || std::any_of(from->rules.begin(), from->rules.end(), reads);
}

// Returns true if the target may be skipped because of the request's parameters or length.
bool reads_content(const race_candidate& each) {
  const proxy::openai_facts& model = proxy::openai_facts_of(proxy::model_at(*each.provider, each.target.sent_model()));
  return !each.provider->behaves.reject_params.empty() || !each.provider->facts.empty() ||
         !model.params.reject.empty() || !model.params.never_reject.empty();
}

// If the gateway makes decisions by the body's content, rejects a body in which a member occurs twice. Otherwise the
// gateway could read one of the two values, and the provider the other.
std::optional<api_error> refuse_repeated_member(const race_request& request, const runnable& wanted,
                                                const race_setup& setup) {
  const auto judges = [&setup](const guardrail_settings& each) { return each.judges(setup.route); };
  const auto& guardrails = request.settings.guardrails;
  const auto reads = [](const race_candidate& each) { return reads_content(each); };
  const bool is_decided = std::any_of(guardrails.begin(), guardrails.end(), judges) || reads_content(wanted) ||
                          std::any_of(setup.candidates.begin(), setup.candidates.end(), reads) ||
                          (request.counts_tokens && request.counts_tokens(setup.route));
  if (!is_decided) return std::nullopt;
  const parsed_request& asked = request.asked;
  const std::string path = asked.repeated ? *asked.repeated : proxy::find_repeated_member(asked.body->json());
  if (path.empty()) return std::nullopt;
  std::string message = in_quotes(path) + " is given twice, and JSON parsers disagree about which of the two values "
                                          "counts: ";
  return bad_request(message + "send this member once", proxy::clean_text(path, most_shown));
}

std::optional<api_error> plan(const race_request& request, const runnable& wanted, race_setup& setup) {
  racing::plan_overrides overrides = request.overrides;
  note_unsaid(request, wanted, setup);
  const std::vector<spoken_request> spoken = speak_to_all(request, setup);
  overrides.is_stored = is_stored(setup, spoken);
  overrides.is_whole = request.asked.form == answer_form::whole;
  if (request.asked.state.is_single) overrides.max_attempts = 1;
  if (overrides.is_stored && wanted.race.stored == racing::stored_answers::refuse)
    return refuse_stored(request.asked.state.field);
  setup.is_lowered_by_store = overrides.is_stored && wanted.race.policy != racing::race_policy::fallback;
  std::vector<racing::candidate> candidates;
  candidates.reserve(setup.candidates.size());
  const bool is_strict = refuses_unpriced(request.settings, request.who, wanted.from);
  target_checks checks{facts_check(request.asked, wanted.require),
                       price_check(request.asked, request.has_price, is_strict), untold_api(request, setup)};
  for (std::size_t index = 0; index < spoken.size(); ++index)
    candidates.push_back(candidate_of(setup.candidates[index], spoken[index], request, checks));
  auto made = racing::make_plan(candidates, wanted.race, overrides, request.board, request.now,
                                caller_print(request.who.name(), request.fingerprint_salt));
  if (auto* refused = std::get_if<racing::refused_override>(&made))
    return bad_request(refused->message, refused->header);
  setup.planned = std::get<racing::planned_race>(std::move(made));
  sort_by_speed(request, wanted, candidates, overrides, setup);
  if (setup.planned.chosen.empty()) return none_can_run(request, wanted, setup);
  return std::nullopt;
}

}  // namespace

void read_ahead(parsed_request& asked, const config& settings, caller who,
                std::span<const proxy::named_dialect> dialects) {
  if (!asked.repeated) asked.repeated = proxy::find_repeated_member(asked.body->json());
  const auto resolved = resolve_model(settings, asked.model, who);
  const auto* wanted = std::get_if<runnable>(&resolved);
  if (wanted == nullptr) return;  // set_up_race() reports why no target can run
  for (const target_name& target : wanted->targets) {
    const proxy::provider& provider = settings.providers.at(target.provider);
    const proxy::dialect& dialect = *proxy::find_dialect(provider.dialect, dialects);
    (void)form_for(asked, dialect.speaks(asked.format, provider, target.sent_model(), *asked.body));
  }
}

race_setup set_up_race(const race_request& request) {
  race_setup setup;
  auto resolved = resolve_model(request.settings, request.asked.model, request.who);
  if (auto* error = std::get_if<api_error>(&resolved)) {
    setup.error = *error;
    return setup;
  }
  runnable wanted = std::get<runnable>(std::move(resolved));
  setup.route = setup.compared = wanted.route;
  take_rule(request, wanted, setup);
  setup.settings = wanted.race;
  if (request.asked.state.field == thread_field && wanted.targets.size() > 1) setup.error = one_target_only(request);
  else setup.error = choose_targets(request, wanted, setup);
  if (!setup.error) setup.error = refuse_repeated_member(request, wanted, setup);
  if (!setup.error) setup.error = plan(request, wanted, setup);
  return setup;
}

}  // namespace photofinish::gateway
