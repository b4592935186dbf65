#include "gateway/api/multipart/part_head.hpp"

#include "proxy/http/http_head.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::equals_ignoring_case;
using proxy::trim_space;

bool is_token_byte(char byte) {
  constexpr std::string_view separators = "()<>@,;:\\\"/[]?={} \t";
  return byte > ' ' && byte < '\x7f' && separators.find(byte) == std::string_view::npos;
}

bool is_control(char byte) { return (static_cast<unsigned char>(byte) < ' ' && byte != '\t') || byte == '\x7f'; }

// Returns the position of the closing quote of a quoted text, or npos.
std::size_t end_of_quoted(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

class head_reader {
 public:
  // Reads the header lines of a form's part. Returns an error text, or an empty string if the lines are valid.
  std::string read(std::string_view lines) {
    std::size_t count = 0;
    while (!lines.empty()) {
      const std::size_t end = lines.find(part_line_end);
      if (++count > max_part_fields) return "has more than " + std::to_string(max_part_fields) + " header fields";
      if (std::string fault = read_line(lines.substr(0, end)); !fault.empty()) return fault;
      lines.remove_prefix(end + part_line_end.size());
    }
    return has_disposition_ ? std::string() : "has no Content-Disposition";
  }
  const part_head& head() const { return head_; }

 private:
  std::string read_line(std::string_view line) {
    if (std::any_of(line.begin(), line.end(), is_control)) return "has a control character in its head";
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || !std::all_of(name.begin(), name.end(), is_token_byte))
      return "has a line in its head that is not a header field";
    const std::string_view value = trim_space(line.substr(colon + 1));
    if (equals_ignoring_case(name, "content-disposition")) return read_disposition(value);
    if (equals_ignoring_case(name, "content-transfer-encoding")) {
      const auto is_it = [value](std::string_view each) { return equals_ignoring_case(value, each); };
      head_.is_encoded = !is_it("binary") && !is_it("8bit") && !is_it("7bit");
    }
    return {};
  }

  std::string read_disposition(std::string_view value) {
    if (has_disposition_) return "has more than one Content-Disposition header";
    has_disposition_ = true;
    const std::size_t end = std::min(value.find(';'), value.size());
    if (!equals_ignoring_case(trim_space(value.substr(0, end)), "form-data")) return "is not form-data";
    value.remove_prefix(end);
    while (!value.empty()) {
      auto taken = take_parameter(value);
      if (auto* fault = std::get_if<std::string>(&taken)) return std::move(*fault);
      if (std::string fault = take(std::get<header_parameter>(taken)); !fault.empty()) return fault;
    }
    return has_name_ ? std::string() : "has no name";
  }

  // Reads a parameter of a header. Accepts `filename*`, which .NET sends. The gateway does not use the values of
  // `filename*` and `filename`, but the provider does.
  std::string take(const header_parameter& parameter) {
    if (equals_ignoring_case(parameter.name, "name*")) return "has an encoded name (RFC 2231): send it as name=\"…\"";
    if (equals_ignoring_case(parameter.name, "filename")) {
      if (std::exchange(has_filename_, true)) return "has two filenames";
      head_.is_file = true;
    }
    if (equals_ignoring_case(parameter.name, "filename*")) head_.is_file = true;
    if (!equals_ignoring_case(parameter.name, "name")) return {};
    if (std::exchange(has_name_, true)) return "has two names";
    if (parameter.value.empty()) return "has an empty name";
    // Rejects a backslash in the name, because some readers of forms remove backslashes and other readers keep them.
    if (parameter.value.find('\\') != std::string_view::npos) return "has a backslash in its name";
    head_.name = parameter.value;
    return {};
  }

  part_head head_;
  bool has_disposition_ = false;
  bool has_name_ = false;
  bool has_filename_ = false;
};

}  // namespace

std::variant<header_parameter, std::string> take_parameter(std::string_view& rest) {
  constexpr const char* fault = "has a header whose parameters cannot be parsed";
  rest = trim_space(rest);
  if (rest.empty() || rest.front() != ';') return fault;
  rest = trim_space(rest.substr(1));
  if (rest.empty()) return fault;
  const auto end_of_token = [&rest] {
    return static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_token_byte) - rest.begin());
  };
  header_parameter taken;
  const std::size_t named = end_of_token();
  taken.name = rest.substr(0, named);
  if (named == 0 || named >= rest.size() || rest[named] != '=') return fault;
  rest.remove_prefix(named + 1);
  const bool is_quoted = !rest.empty() && rest.front() == '"';
  const std::size_t end = is_quoted ? end_of_quoted(rest) : end_of_token();
  if (end == std::string_view::npos || (end == 0 && !is_quoted)) return fault;
  taken.value = is_quoted ? rest.substr(1, end - 1) : rest.substr(0, end);
  rest.remove_prefix(is_quoted ? end + 1 : end);
  rest = trim_space(rest);
  if (!rest.empty() && rest.front() != ';') return fault;
  return taken;
}

std::variant<part_head, std::string> read_part_head(std::string_view lines) {
  head_reader reader;
  if (std::string fault = reader.read(lines); !fault.empty()) return fault;
  return reader.head();
}

}  // namespace photofinish::gateway
