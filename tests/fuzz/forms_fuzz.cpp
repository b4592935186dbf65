// Reads arbitrary bytes as a multipart form. All parts lie within the bounds of the form. The form that is sent to the provider has the
// same parts, except that the model's name may differ. Every rejection has a reason.
#include "gateway/api/multipart/form_reader.hpp"
#include "proxy/dialects/passthrough/form_edits.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <array>
#include <memory>
#include <utility>

namespace photofinish::fuzz {
namespace {

constexpr std::array<std::string_view, 3> single{"model", "stream", "response_format"};
constexpr std::string_view new_model = "large/v3";

// Checks that the parts follow each other without gaps, and that the last part ends at the final delimiter.
void check_places(std::string_view text, const proxy::form_fields& fields) {
  const char* at = text.data();
  for (const proxy::json_member& each : fields.all) {
    require(each.whole.data() == at, "a part begins where the one before it ends");
    at += each.whole.size();
    require(each.raw_key.data() > each.whole.data() && each.value.data() + each.value.size() + 2 == at,
            "name and content lie in their part");
    require(each.value.find("\n--" + fields.boundary) == std::string_view::npos, "no delimiter is in a content");
  }
  require(text.substr(static_cast<std::size_t>(at - text.data())).starts_with("--" + fields.boundary + "--"),
          "the last delimiter stands behind the parts");
}

void check_edited(std::string text, proxy::form_fields fields) {
  std::vector<std::pair<std::string, std::string>> expected;
  bool has_model = false;
  for (const proxy::json_member& each : fields.all) {
    has_model |= each.raw_key == "model";
    if (each.raw_key != "user") expected.emplace_back(each.raw_key, each.raw_key == "model" ? new_model : each.value);
  }
  if (!has_model) expected.emplace(expected.begin(), "model", new_model);
  proxy::provider target;
  target.behaves.drop_params = {"user"};
  const proxy::secret key;
  const auto body = std::make_shared<const proxy::client_body>(std::move(text), std::move(fields));
  proxy::prepared_request prepared;
  prepared.body = proxy::request_body(body);
  proxy::edit_form({body, proxy::wire_format::openai_transcription, target, new_model, key, {}}, prepared);
  std::string sent;
  for (const std::string_view piece : prepared.body.pieces()) sent += piece;
  const auto again = gateway::read_form_fields(sent, proxy::content_type_of(*body), single);
  const auto* read = std::get_if<proxy::form_fields>(&again);
  if (read == nullptr && expected.size() > gateway::max_form_parts) return;
  require(read != nullptr, "what is sent is a form");
  require(read->all.size() == expected.size(), "with as many fields");
  for (std::size_t at = 0; at < expected.size(); ++at)
    require(read->all[at].raw_key == expected[at].first && read->all[at].value == expected[at].second, "which are the same");
}

}  // namespace
}  // namespace photofinish::fuzz

// The first line of the input is the content type, and the remaining lines are the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  using namespace photofinish::fuzz;
  const std::string_view input = as_text(data, size);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  const exact_bytes type(input.substr(0, end)), bytes(input.substr(end + 1));
  const auto got = gateway::read_form_fields(bytes.view(), type.view(), single);
  if (const auto* error = std::get_if<gateway::api_error>(&got)) {
    require(error->status == 400 && !error->message.empty(), "a refusal says why");
    return 0;
  }
  check_places(bytes.view(), std::get<proxy::form_fields>(got));
  std::string text(bytes.view());
  auto fields = gateway::read_form_fields(text, type.view(), single);
  check_edited(std::move(text), std::get<proxy::form_fields>(std::move(fields)));
  return 0;
}
