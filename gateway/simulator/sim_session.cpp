#include "gateway/simulator/sim_session.hpp"

#include "gateway/http/date_of_now.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::steady_clock;

// Chunks that are due at the same time are written together until this size is reached.
constexpr std::size_t write_size = 64 * 1024;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

bool is_sent(step_kind kind) {
  return kind != step_kind::refuse && kind != step_kind::silence && kind != step_kind::reset &&
         kind != step_kind::close;
}

// Returns true if the step belongs to the answer itself. Such a step is sent only after the provider has read the whole
// prompt.
bool begins_answer(step_kind kind) {
  return kind == step_kind::reasoning || kind == step_kind::content || kind == step_kind::tool_name ||
         kind == step_kind::arguments || kind == step_kind::finish;
}

cache_chances chances_from(std::uint64_t seed) {
  const auto chance = [seed](std::uint64_t number) {
    return static_cast<double>(request_seed(seed, number) >> 11) * 0x1.0p-53;
  };
  return {.replica = chance(1), .miss = chance(2), .life = chance(3)};
}

using request_head = http::request_header<http::fields>;

// Returns the text that identifies the client. Clients of AWS sign each request with a different signature, so only the
// id of the key is used.
std::string_view credential_of(const request_head& request) {
  for (const char* name : {"x-api-key", "x-goog-api-key", "api-key"})
    if (const std::string_view key = view(request[name]); !key.empty()) return key;
  constexpr std::string_view begin_of_id = "Credential=";
  const std::string_view authorization = view(request[http::field::authorization]);
  if (const std::size_t before = authorization.find(begin_of_id); before != std::string_view::npos) {
    const std::string_view id = authorization.substr(before + begin_of_id.size());
    return id.substr(0, id.find('/'));
  }
  return authorization;
}

bool ends_body(step_kind kind) { return kind == step_kind::done || kind == step_kind::error_event; }

}  // namespace

sim_session::sim_session(asio::ip::tcp::socket socket, sim_shared& shared)
    : shared_(shared), link_(std::move(socket)) {}

void sim_session::stop() noexcept {
  is_stopped_ = true;
  link_.close();
}

asio::awaitable<void> sim_session::serve() {
  link_.start();
  try {
    co_await serve_requests();
  } catch (const std::exception&) {
    // An exception ends only this connection. The most probable cause is that memory is exhausted.
  }
  co_await link_.end();
}

asio::awaitable<void> sim_session::serve_requests() {
  while (true) {
    // The result needs a variable, because GCC 12.2 miscompiles a loop with co_await in its condition.
    const bool has_request = co_await read_request();
    if (!has_request) co_return;
    co_await answer();
    if (link_.is_gone() || after_ == after_answer::close) co_return;
  }
}

asio::awaitable<bool> sim_session::read_request() {
  parser_.emplace();
  parser_->eager(true);
  parser_->header_limit(64 * 1024);
  parser_->body_limit(shared_.options.max_body_bytes);
  bool is_expectation_met = false;
  std::size_t unparsed = 0;  // the number of bytes that the parser cannot use until more bytes arrive
  while (true) {
    co_await link_.wait_input(unparsed);
    if (link_.is_gone()) co_return false;
    error_code ec;
    const std::string_view input = link_.input();
    link_.consume(parser_->put(asio::buffer(input), ec));
    unparsed = link_.input().size();
    if (parser_->is_done()) co_return true;
    if (ec && ec != http::error::need_more) break;
    if (parser_->is_header_done() && !std::exchange(is_expectation_met, true)) co_await confirm_expectation();
  }
  after_ = after_answer::close;
  record_.request_id = "none";
  prepare_refusal(client_fault(400, "bad_http", "the request is not valid HTTP/1.1"));
  co_await send_out(sim_end::refused);
  co_return false;
}

asio::awaitable<void> sim_session::confirm_expectation() {
  if (!boost::beast::iequals(parser_->get()[http::field::expect], "100-continue")) co_return;
  co_await link_.write("HTTP/1.1 100 Continue\r\n\r\n");
}

asio::awaitable<void> sim_session::answer() {
  open_record();
  after_ = parser_->get().keep_alive() ? after_answer::keep_alive : after_answer::close;
  const sim_end ended = co_await answer_by_path();
  close_record(ended);
}

asio::awaitable<sim_end> sim_session::answer_by_path() {
  const auto& request = parser_->get();
  const std::string_view target = record_.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const auto asked = target_of(path);
  asked_ = asked.value_or(sim_target{});
  if (request.version() != 11) {
    after_ = after_answer::close;
    prepare_refusal(client_fault(505, "http_version", "HTTP/1.1 only"));
  } else if (!has_required_key()) {
    prepare_refusal(client_fault(401, "invalid_api_key", "Incorrect API key provided."));
  } else if (request.method() == http::verb::post && asked) {
    co_return co_await answer_asked();
  } else if (request.method() == http::verb::get && path.ends_with("/models")) {
    append_json_response(out_, 200, record_.request_id, {}, models_json(shared_.options.model), after_);
    co_return co_await send_out(sim_end::completed);
  } else {
    prepare_refusal(client_fault(404, "unknown_url",
                                 "the simulator serves POST /chat/completions, /responses, /messages, "
                                 "/models/NAME:generateContent and :streamGenerateContent, /model/NAME/converse, "
                                 "/converse-stream, /invoke and /invoke-with-response-stream, and GET /models"));
  }
  co_return co_await send_out(sim_end::refused);
}

asio::awaitable<sim_end> sim_session::answer_asked() {
  const struct in_hand {  // counts the request as running until its answer has ended
    explicit in_hand(std::size_t& of) : count(of) { ++count; }
    in_hand(const in_hand&) = delete;
    ~in_hand() { --count; }
    std::size_t& count;
  } counted(shared_.in_hand);
  const auto planned = plan();
  if (!planned) {
    prepare_refusal(planned.error());
    co_return co_await send_out(sim_end::refused);
  }
  const auto& [request, model, schedule] = *planned;
  if (schedule.steps.front().kind == step_kind::refuse) {
    co_await link_.wait_until(due(schedule.steps.front()));
    prepare_refusal(simulated_failure(model.behaviour.faults.status, model.behaviour.faults.retry_after));
    co_return co_await send_out(sim_end::refused);
  }
  const std::unique_ptr<sim_answer> text = text_of(*planned);
  if (request.is_stream) co_return co_await stream(schedule, *text);
  co_return co_await complete(schedule, *text);
}

std::unique_ptr<sim_answer> sim_session::text_of(const planned_answer& planned) const {
  const auto& [request, model, schedule] = planned;
  const sim_answer_terms terms{record_.request_id, unix_seconds(), model.name, request,
                               schedule, model.behaviour.usage, after_};
  switch (asked_.api) {
    case sim_api::chat: break;
    case sim_api::responses: return std::make_unique<response_text>(terms);
    case sim_api::messages: return std::make_unique<message_text>(terms);
    case sim_api::gemini: return std::make_unique<gemini_text>(terms);
    case sim_api::converse: return std::make_unique<converse_text>(terms);
    case sim_api::invoke: return std::make_unique<invoked_text>(terms);
  }
  return std::make_unique<answer_text>(terms);
}

// Plans the answer. If this function were a coroutine, its frame would keep a random engine of 2.5 kB while the request
// waits.
proxy::result<sim_session::planned_answer> sim_session::plan() {
  auto request = parse_request(asked_, parser_->get().body(), shared_.json);
  if (!request) return request.error();
  record_.model = request->model;
  const auto since_start = std::chrono::duration_cast<microseconds>(record_.received_at - shared_.started_at);
  auto model = parse_model(request->model,
                           behaviour_at(shared_.options.behaviour, shared_.options.phases, since_start));
  if (!model) return model.error();
  model->behaviour.tokens_per_second /= 1 + model->behaviour.load_share * static_cast<double>(shared_.in_hand - 1);
  apply_limit(model->behaviour);
  const std::uint64_t seed = model->behaviour.seed.value_or(request_seed(shared_.options.seed, number_));
  look_up_prompt(*request, *model, seed);
  model->behaviour.ttft =
      median_ttft(model->behaviour, request->prompt_tokens - request->cache.read, request->cache.read);
  sim_engine engine(seed);
  sim_schedule schedule = draw_schedule(model->behaviour, engine, request->params);
  return planned_answer{*std::move(request), *std::move(model), std::move(schedule)};
}

// Looks up the prompt in the prompt cache. The parser still contains the request's body when this function is called.
void sim_session::look_up_prompt(sim_request& request, const sim_model& model, std::uint64_t seed) {
  record_.prompt_tokens = request.prompt_tokens;
  const sim_prompt_cache& settings = model.behaviour.cache;
  if (!settings.is_on) return;
  const cache_chances chances = chances_from(seed);
  auto prompt = read_prefixes(layout_of(asked_.api), shared_.json.doc.root(), root_of_prompt(model, chances),
                              shared_.prompts.key());
  const auto since_start = std::chrono::duration_cast<microseconds>(record_.received_at - shared_.started_at);
  visit_.emplace(shared_.prompts, settings, std::move(prompt), chances, since_start);
  const cached_tokens& found = visit_->found();
  const bool reports_writes = settings.needs_marks || settings.reports_writes;
  sim_cache_usage& usage = request.cache;
  usage = {.is_on = true, .reported = settings.reported};
  // No provider reads the last token of a prompt from its cache.
  usage.read = std::min(found.read, request.prompt_tokens - 1);
  if (reports_writes) usage.written = std::min(found.written, request.prompt_tokens - usage.read);
  usage.written_1h = std::min(found.written_1h, usage.written);
  record_.cached_tokens = usage.read;
}

std::uint64_t sim_session::root_of_prompt(const sim_model& model, const cache_chances& chances) const {
  const auto& request = parser_->get();
  const std::string& field = model.behaviour.cache.hint;
  std::string_view hint;
  if (!field.empty()) hint = view(request[field]);
  if (!field.empty() && hint.empty() && shared_.json.doc.root()[field].get(hint) != simdjson::SUCCESS) hint = {};
  const cache_owner owner{.credential = credential_of(request), .model = model.name, .hint = hint};
  return shared_.prompts.root_of(owner, model.behaviour.cache, chances.replica);
}

void sim_session::keep_prompt_with(const sim_step& step) {
  if (!visit_ || link_.is_gone() || !begins_answer(step.kind)) return;
  visit_->keep();
  visit_.reset();
}

// Applies the limit of requests per minute. A request above the limit gets error 429. The error's retry time is the
// time until the oldest counted request is one minute old.
void sim_session::apply_limit(sim_behaviour& behaviour) {
  if (behaviour.rpm_limit == 0) return;
  constexpr std::chrono::minutes window{1};
  auto& accepted = shared_.accepted;
  while (!accepted.empty() && record_.received_at - accepted.front() >= window) accepted.pop_front();
  if (accepted.size() < behaviour.rpm_limit) return accepted.push_back(record_.received_at);
  behaviour.faults.hang = false;
  behaviour.faults.share = 1;
  behaviour.faults.status = 429;
  const auto until = accepted.front() + window - record_.received_at;
  behaviour.faults.retry_after = std::chrono::ceil<microseconds>(until);
}

asio::awaitable<sim_end> sim_session::stream(const sim_schedule& schedule, sim_answer& text) {
  append_stream_head(out_, record_.request_id, text.stream_type(), after_);
  for (std::size_t next = 0; next < schedule.steps.size();) {
    const sim_step& step = schedule.steps[next];
    co_await link_.wait_until(due(step));
    if (!is_sent(step.kind)) co_return co_await end_by(step);
    const std::size_t behind = batch_due(schedule, text, next);
    co_await link_.write(out_);
    out_.clear();
    if (link_.is_gone()) co_return gone();
    for (; next < behind; ++next) record_.tokens_sent += schedule.steps[next].tokens;
  }
  co_return schedule.steps.back().kind == step_kind::error_event ? sim_end::error_event : sim_end::completed;
}

// Formats all steps that are due now, but at least one step. `next` is the index of the first step. Returns the index
// of the first step that is not due yet.
std::size_t sim_session::batch_due(const sim_schedule& schedule, sim_answer& text, std::size_t next) {
  const auto now = steady_clock::now();
  do {
    const sim_step& step = schedule.steps[next];
    text.append_step(out_, step);
    if (ends_body(step.kind)) append_last_chunk(out_);
    if (step.tokens > 0 && !record_.first_token_at) record_.first_token_at = now;
    keep_prompt_with(step);
    ++next;
  } while (next < schedule.steps.size() && is_sent(schedule.steps[next].kind) &&
           due(schedule.steps[next]) <= now && out_.size() < write_size);
  return next;
}

asio::awaitable<sim_end> sim_session::complete(const sim_schedule& schedule, sim_answer& text) {
  const sim_step& last = schedule.steps.back();
  const auto first = std::find_if(schedule.steps.begin(), schedule.steps.end(),
                                  [](const sim_step& step) { return begins_answer(step.kind); });
  if (visit_ && first != schedule.steps.end()) {
    co_await link_.wait_until(due(*first));
    keep_prompt_with(*first);
  }
  co_await link_.wait_until(due(last));
  if (last.kind == step_kind::error_event) {
    prepare_refusal(simulated_failure(500));
    co_return co_await send_out(sim_end::refused);
  }
  if (!is_sent(last.kind)) co_return co_await end_by(last);
  text.append_completion(out_);
  const sim_end ended = co_await send_out(sim_end::completed);
  if (ended == sim_end::completed) record_.tokens_sent = schedule.tokens_sent();
  co_return ended;
}

asio::awaitable<sim_end> sim_session::end_by(const sim_step& last) {
  out_.clear();
  if (last.kind == step_kind::silence) co_await link_.wait_gone();
  if (link_.is_gone()) co_return gone();
  if (last.kind == step_kind::reset) co_return link_.reset(), sim_end::reset;
  co_return link_.close(), sim_end::closed;
}

asio::awaitable<sim_end> sim_session::send_out(sim_end ended) {
  co_await link_.write(out_);
  out_.clear();
  co_return link_.is_gone() ? gone() : ended;
}

void sim_session::prepare_refusal(const proxy::failure& why) {
  const bool is_bedrock = asked_.api == sim_api::converse || asked_.api == sim_api::invoke;
  if (is_bedrock) return append_bedrock_error(out_, why, record_.request_id, after_);
  const std::string json = asked_.api == sim_api::messages ? message_error_json(why)
                           : asked_.api == sim_api::gemini ? gemini_error_json(why)
                                                           : error_json(why);
  append_error_response(out_, why, json, record_.request_id, after_);
}

// Returns true if the request contains the required key. The signature of an AWS request is not verified. Only the id
// of its key is compared.
bool sim_session::has_required_key() const {
  const std::string& key = shared_.options.required_key;
  const auto& request = parser_->get();
  return key.empty() || record_.authorization == "Bearer " + key || view(request["x-api-key"]) == key ||
         view(request["x-goog-api-key"]) == key ||
         record_.authorization.find("Credential=" + key + "/") != std::string::npos;
}

void sim_session::open_record() {
  number_ = shared_.ledger.begin_request();
  record_ = sim_record{};
  visit_.reset();
  record_.request_id = "sim-" + std::to_string(number_);
  record_.received_at = steady_clock::now();
  const auto& request = parser_->get();
  record_.target = view(request.target());
  record_.authorization = view(request[http::field::authorization]);
}

void sim_session::close_record(sim_end ended) {
  if (!shared_.ledger.keeps_records()) return;
  record_.ended = ended;
  record_.ended_at = steady_clock::now();
  auto& request = parser_->get();
  for (const auto& field : request)
    record_.fields.emplace_back(view(field.name_string()), view(field.value()));
  record_.body = std::move(request.body());
  shared_.ledger.add(std::move(record_));
}

}  // namespace photofinish::gateway::simulator
