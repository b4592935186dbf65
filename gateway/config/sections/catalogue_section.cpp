// Reads the section `catalogue`, which selects a list of models to replace the built-in list (docs/decisions/0082).
#include "gateway/config/sections/sections.hpp"
#include "gateway/log/time_text.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/providers/catalogue_update.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

constexpr std::string_view signature_end = ".sig";

bool is_hash(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) { return proxy::hex_digit(c) >= 0; });
}

// True if the settings that are needed to verify the file are valid. Reports invalid settings.
bool check_proof(const section_reader& reader, const catalogue_settings& read) {
  if (reader.has_read("sha256") && !is_hash(read.sha256))
    return reader.error("sha256", "must be 64 hex digits, as sha256sum prints them"), false;
  if (reader.has_read("public_key") && !proxy::is_ed25519_public_key(read.public_key))
    return reader.error("public_key", "must be an Ed25519 key, as PEM or in base64 as `openssl pkey -pubout -outform "
                                      "DER | base64 -w0` prints it"), false;
  if (!reader.find("file") && !reader.has_unknown())
    return reader.shared().error(reader.at(), "catalogue: `file`, the list of models to use, is missing"), false;
  const bool has_hash = reader.find("sha256") != nullptr, has_key = reader.find("public_key") != nullptr;
  if (has_hash && has_key) return reader.error("sha256", "give either `sha256` or `public_key`, not both"), false;
  if (!has_hash && !has_key && !reader.has_unknown())
    return reader.shared().error(reader.at(), "catalogue: `sha256` or `public_key` is needed to verify the file"),
           false;
  return reader.has_read("file") && (reader.has_read("sha256") || reader.has_read("public_key"));
}

// Returns the content of a file, and watches the file for changes. Returns nothing if the file is missing but is not
// required.
std::optional<file_content> read_watched(const section_reader& reader, const std::string& path) {
  reader.shared().watched_files.push_back(path);
  file_content content = reader.shared().machine.read_file(path);
  if (!content.problem.empty() && reader.shared().may_miss("file:" + path)) return std::nullopt;
  return content;
}

void take_list(const section_reader& reader, std::shared_ptr<const proxy::catalogue> list, catalogue_settings& into) {
  into.file_date = list->as_of();
  if (list->as_of() < proxy::built_in_catalogue_date())
    return reader.warn("file", into.file + " is dated " + day_text(list->as_of()) +
                                   ", older than photofinish's built-in list (" +
                                   day_text(proxy::built_in_catalogue_date()) + "), so the built-in list is used");
  const environment& machine = reader.shared().machine;
  if (machine.current_day && proxy::is_dated_ahead(list->as_of(), machine.current_day()))
    return reader.error("file", into.file + " is dated " + day_text(list->as_of()) +
                                    ", more than two days after today (" + day_text(machine.current_day()) + ")");
  const std::string problem = into.allow_jumps ? "" : proxy::jump_problem(*proxy::built_in_catalogue(), *list);
  if (!problem.empty())
    return reader.error("file", into.file + " differs too much from photofinish's built-in list: " + problem +
                                    "; `allow_jumps: true` permits such changes");
  into.from_file = std::move(list);
}

}  // namespace

void read_catalogue(const section_reader& top, catalogue_settings& into) {
  const yaml_node* node = top.find("catalogue");
  if (!node) return;
  const section_reader reader(top.shared(), *node, section::catalogue);
  reader.read_members(into);
  if (!check_proof(reader, into)) return;
  const auto content = read_watched(reader, into.file);
  if (!content) return;
  if (!content->problem.empty()) return reader.error("file", into.file + ": " + content->problem);
  file_content signature;
  if (into.sha256.empty()) {
    auto read = read_watched(reader, into.file + std::string(signature_end));
    if (!read) return;
    signature = *std::move(read);
    if (!signature.problem.empty())
      return reader.error("file", into.file + std::string(signature_end) + ": " + signature.problem);
  }
  proxy::catalogue_result read = proxy::read_proven_catalogue(
      {.text = content->text, .signature = signature.text, .sha256 = into.sha256, .public_key = into.public_key});
  if (!read.value) return reader.error("file", into.file + " " + read.error);
  take_list(reader, std::move(read.value), into);
}

}  // namespace photofinish::gateway
