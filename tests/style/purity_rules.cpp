#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::style {
namespace {

// An exception to the rules for pure headers, which are headers without I/O. Contains the exception's name, and the prefixes of the headers
// that the exception additionally permits.
struct exception {
  std::string_view name;
  std::array<std::string_view, 2> headers;
};
constexpr std::array exceptions{
    exception{"Beast", {"boost/beast/", "boost/asio/buffer.hpp"}},
    exception{"nghttp2", {"nghttp2/", "nghttp2/"}},
    exception{"OpenSSL", {"openssl/evp.h", "openssl/hmac.h"}},
    exception{"X.509", {"openssl/", "openssl/"}},
    exception{"SHA-256", {"openssl/evp.h", "openssl/sha.h"}},
    exception{"yaml-cpp", {"yaml-cpp/", "yaml-cpp/"}},
    exception{"yaml-cpp and answers it remembers", {"yaml-cpp/", "yaml-cpp/"}},
    exception{"cctz", {"cctz/", "cctz/"}},
    exception{"hiredis", {"hiredis/", "hiredis/"}},
    exception{"inet_pton", {"arpa/inet.h", "netinet/in.h"}},
};

// Headers of the standard library whose functions access resources outside of the process.
constexpr std::array<std::string_view, 7> worldly{"iostream", "fstream", "filesystem", "syncstream",
                                                  "thread",   "future",  "csignal"};

struct purity {
  std::size_t line = 1;
  const exception* but_for = nullptr;
  std::string unknown;  // name in the header's mark that is missing in the list of exceptions
};

// Reads the mark that declares a header pure (free of I/O). Returns nothing if the file's first comment has no such mark.
std::optional<purity> read_purity(const source_file& header) {
  for (std::size_t i = 0; i < header.lines.size() && header.lines[i].starts_with("//"); ++i) {
    const std::size_t open = header.lines[i].find("[pure");
    if (open == std::string::npos) continue;
    purity read{.line = i + 1};
    std::string said = header.lines[i].substr(open + 5);
    said.resize(std::min(said.find(']'), said.size()));
    if (said.empty()) return read;
    constexpr std::string_view opening = " but for ";
    for (const exception& each : exceptions)
      if (said == std::string(opening) + std::string(each.name)) read.but_for = &each;
    if (!read.but_for) read.unknown = said;
    return read;
  }
  return std::nullopt;
}

// Returns the header that belongs to a .cpp file. This is the header of the same name. If there is no such header, it is the file's first
// included header, provided that this header is in the same folder.
const source_file* own_header(const source_tree& tree, const source_file& file) {
  if (file.is_header()) return &file;
  const std::string stem = file.path.substr(0, file.path.size() - 4);
  if (const source_file* beside = tree.find(stem + ".hpp")) return beside;
  if (file.includes.empty() || !file.includes[0].is_quoted) return nullptr;
  const source_file* first = tree.find(file.includes[0].name);
  const std::string room = file.path.substr(0, file.path.rfind('/'));
  return first && first->path.substr(0, first->path.rfind('/')) == room ? first : nullptr;
}

std::optional<purity> purity_of(const source_tree& tree, const source_file& file) {
  if (!file.is_product() || !file.is_source()) return std::nullopt;
  const source_file* header = own_header(tree, file);
  return header ? read_purity(*header) : std::nullopt;
}

bool is_standard(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char letter) { return std::islower(letter) || std::isdigit(letter) || letter == '_'; });
}

bool may_include(const source_tree& tree, const include_line& each, const purity& file) {
  if (each.is_quoted) {
    const source_file* header = tree.find(each.name);
    return header && read_purity(*header);
  }
  if (is_standard(each.name)) return std::find(worldly.begin(), worldly.end(), each.name) == worldly.end();
  if (each.name == "simdjson.h" || each.name.starts_with("nlohmann/")) return true;
  if (each.name.starts_with("boost/container/")) return true;
  return file.but_for && std::any_of(file.but_for->headers.begin(), file.but_for->headers.end(),
                                     [&](std::string_view allowed) { return each.name.starts_with(allowed); });
}

struct deed {
  std::string_view word;
  std::string_view what;
};
constexpr std::string_view asio = "asio::";
constexpr std::array deeds{
    deed{"::now(", "reads a clock"},        deed{"clock_gettime", "reads a clock"},
    deed{"gettimeofday", "reads a clock"},  deed{"std::time(", "reads a clock"},
    deed{"random_device", "asks chance"},   deed{"getenv", "asks the environment"},
    deed{"spdlog", "writes a log"},         deed{"std::cout", "writes to the terminal"},
    deed{"std::cerr", "writes to the terminal"}, deed{"std::clog", "writes to the terminal"},
    deed{asio, "speaks to the network"},    deed{"::socket(", "opens a socket"},
    deed{"sleep_for", "sleeps"},            deed{"thread_local", "keeps state of its own"},
};

// A header with the exception "Beast" may use Asio's buffers, because Beast's parser uses them. A cache of earlier results does not make a
// header impure, because a cache does not change the results.
bool is_excused(const purity& file, const deed& done) {
  if (!file.but_for) return false;
  if (done.word == "thread_local") return file.but_for->name.ends_with("answers it remembers");
  return file.but_for->name == "Beast" && done.word == asio;
}

}  // namespace

violations impure_includes(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    const auto pure = purity_of(tree, file);
    if (!pure) continue;
    if (!pure->unknown.empty() && file.is_header())
      found.push_back({path, pure->line, "[pure" + pure->unknown + "]: no exception that the rules know"});
    for (const include_line& each : file.includes)
      if (!may_include(tree, each, *pure)) found.push_back({path, each.line, "[pure], but includes " + each.name});
  }
  return found;
}

violations impure_deeds(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    const auto pure = purity_of(tree, file);
    if (!pure) continue;
    for (std::size_t i = 0; i < file.code.size(); ++i)
      for (const deed& each : deeds)
        if (file.code[i].find(each.word) != std::string::npos && !is_excused(*pure, each))
          found.push_back({path, i + 1, "[pure], but " + std::string(each.what) + ": " + std::string(each.word)});
  }
  return found;
}

}  // namespace photofinish::style
