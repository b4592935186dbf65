#include "proxy/dialects/anthropic/vertex_request.hpp"

#include "proxy/dialects/anthropic/message_request.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::string_view vertex_version = "vertex-2023-10-16";  // the only one there is

}  // namespace

// A version stands behind an @, which is sent as it is: claude-sonnet-4-5@20250929.
std::string vertex_path(const attempt_request& request) {
  std::string path = "/models/";
  std::string_view model = request.model;
  while (true) {
    const std::size_t at = std::min(model.find('@'), model.size());
    append_percent_encoded(model.substr(0, at), path);
    if (at == model.size()) break;
    path += '@';
    model.remove_prefix(at + 1);
  }
  return path + (request.shape == answer_shape::in_one_piece ? ":rawPredict" : ":streamRawPredict");
}

void edit_vertex_request(const attempt_request& request, const claude_plan& plan, prepared_request& prepared) {
  message_envelope envelope;
  envelope.members.emplace_back("anthropic_version", json_quote(vertex_version));
  envelope.has_stream = true;
  edit_message_request(request, plan, prepared, &envelope);
}

}  // namespace photofinish::proxy
