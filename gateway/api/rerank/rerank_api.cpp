#include "gateway/api/rerank/rerank_api.hpp"

#include "gateway/api/whole/whole_request.hpp"
#include "gateway/api/whole/whole_writer.hpp"
#include "proxy/json/json_text.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::array<std::string_view, 4> single_rerank_members{"model", "query", "documents", "top_n"};

}  // namespace

std::variant<ask, api_error> rerank_api::read(std::string text, proxy::tolerant_parser& parser) const {
  const whole_request expected{proxy::wire_format::openai_rerank, single_rerank_members, "documents"};
  auto read = read_whole_request(std::move(text), expected, parser);
  if (const auto* request = std::get_if<ask>(&read)) {
    if (auto error = check_input(*request->body, "query")) return std::move(*error);
    if (!proxy::json_is_array(request->prompt)) return bad_request("'documents' must be an array", "documents");
  }
  return read;
}

std::unique_ptr<answer_writer> rerank_api::writer(const ask& request, answer_identity) const {
  return std::make_unique<whole_writer>(request.format);
}

}  // namespace photofinish::gateway
