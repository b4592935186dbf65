#include "tests/style/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::style {
namespace {

std::string joined(const source_file& file) {
  std::string text;
  for (const std::string& line : file.code) text.append(line).append("\n");
  return text;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

template <class Report>
void each_word(std::string_view text, std::string_view word, const Report& report) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (is_word_at(text, at, word)) report(at);
}

// Returns the expression that starts at `at`. The expression ends before a semicolon, a comma, or the closing bracket of the surrounding
// code.
std::string_view expression_at(std::string_view text, std::size_t at) {
  int depth = 0;
  std::size_t end = at;
  for (; end < text.size(); ++end) {
    const char letter = text[end];
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    else if (letter == ')' || letter == ']' || letter == '}') --depth;
    if (depth < 0 || (depth == 0 && (letter == ';' || letter == ','))) break;
  }
  return text.substr(at, end - at);
}

// Returns the text in the brackets after a word, or an empty string if no bracket follows the word. `at` is the end of the word.
std::string_view brackets_behind(std::string_view text, std::size_t at) {
  const std::size_t open = text.find_first_not_of(" \n", at);
  if (open == std::string_view::npos || text[open] != '(') return {};
  const std::string_view rest = text.substr(open);
  int depth = 0;
  for (std::size_t end = 0; end < rest.size(); ++end) {
    if (rest[end] == '(') ++depth;
    if (rest[end] == ')' && --depth == 0) return rest.substr(0, end + 1);
  }
  return rest;
}

// True if the text directly before `at` is ||, && or ?. In this case, an await at `at` runs only conditionally.
bool is_behind_a_choice(std::string_view text, std::size_t at) {
  const std::size_t last = text.find_last_not_of(" \n", at - 1);
  if (at == 0 || last == std::string_view::npos) return false;
  return text[last] == '?' || (last > 0 && (text.substr(last - 1, 2) == "||" || text.substr(last - 1, 2) == "&&"));
}

// Returns the position of the bracket that opens the group containing `at`, or npos if there is none.
std::size_t opening_before(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at-- > 0) {
    if (text[at] == ')') ++depth;
    else if (text[at] == '(' && depth-- == 0) return at;
    else if (text[at] == ';' || text[at] == '{' || text[at] == '}') break;
  }
  return std::string_view::npos;
}

bool is_parameter_of_a_lambda(std::string_view text, std::size_t at) {
  const std::size_t open = opening_before(text, at);
  return open != std::string_view::npos && open > 0 && text[open - 1] == ']';
}

bool is_in_a_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// True if a lambda has a named exception_ptr parameter and uses it. `at` is the position of the parameter's type.
bool is_looked_at(std::string_view text, std::size_t at) {
  const std::size_t begin = text.find_first_not_of(" &\n", at + std::string_view("exception_ptr").size());
  if (begin == std::string_view::npos) return false;
  std::size_t end = begin;
  while (end < text.size() && is_in_a_name(text[end])) ++end;
  const std::string_view name = text.substr(begin, end - begin);
  std::size_t brace = text.find('{', end);
  if (name.empty() || brace == std::string_view::npos) return false;
  int depth = 0;
  for (std::size_t each = brace; each < text.size(); ++each) {
    if (text[each] == '{') ++depth;
    if (text[each] == '}' && --depth == 0) return false;
    if (is_word_at(text, each, name)) return true;
  }
  return false;
}

// Matches a braced aggregate or a lambda with captures, if it is an argument or if it directly follows the name of a type.
const std::regex& temporary() {
  static const std::regex pattern(R"re(\{\s*\.\s*\w|[(,=]\s*\{\s*[^\s}]|[(,={]\s*\[\s*(&|=|this\b|\*this|\w+\s*[,=\]]))re");
  return pattern;
}

template <class Breaks>
violations awaited_where(const source_tree& tree, Breaks breaks, std::string_view why) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    const std::string text = joined(file);
    each_word(text, "co_await", [&](std::size_t at) {
      if (breaks(std::string(expression_at(text, at)))) found.push_back({path, line_of(text, at), std::string(why)});
    });
  }
  return found;
}

// Finds each declaration of the variable `name` in the file, and adds the declared type to the set `to`.
void add_types_of(const source_file& file, const std::string& name, std::set<std::string>& to) {
  static const std::set<std::string> no_types{"return", "co_return", "co_await", "else", "throw", "case", "new"};
  const std::regex declared("([\\w:>]+)\\s*&?\\s+" + name + "\\s*[;={(,)]");
  for (const std::string& line : file.code) {
    if (line.find(name) == std::string::npos) continue;
    for (std::sregex_iterator each(line.begin(), line.end(), declared), end; each != end; ++each)
      if (!no_types.contains((*each)[1])) to.insert((*each)[1]);
  }
}

// True if the file and its header declare `name` only as a std::string. False if a declaration gives the name another type.
bool is_always_a_string(const source_tree& tree, const source_file& file, const std::string& name) {
  std::set<std::string> types;
  add_types_of(file, name, types);
  const source_file* header = tree.find(file.path.substr(0, file.path.rfind('.')) + ".hpp");
  if (header != nullptr) add_types_of(*header, name, types);
  return types == std::set<std::string>{"std::string"};
}

struct ban {
  std::string_view text;
  std::string_view why;
};
constexpr std::array bans{
    ban{"asio::detached", "every child has an owner that awaits its end"},
    ban{"experimental::channel", "close() drops what is buffered"},
    ban{"boost/asio/experimental", "what it holds is broken in Boost 1.81"},
    ban{"boost/asio.hpp", "include the narrow headers"},
    ban{"boost/beast.hpp", "include the narrow headers"},
    ban{"http::async_", "slow, and slow to compile: read for Beast's parser yourself"},
    ban{"awaitable_operators", "crashes with several threads, and cancels what it must not"},
};

// The functions that read bytes from a peer, each with the list of files that may call it. These files read once per turn of the event
// loop. All other code must read through these files, so that it cannot block other connections.
struct door {
  std::string_view call;
  std::vector<std::string_view> files;
};
const std::vector<door>& doors() {
  static const std::vector<door> all{
      {"recv", {"proxy/net/socket_io.cpp", "gateway/server/connection_admission.cpp"}},
      {"recvfrom", {}},
      {"recvmsg", {}},
      {"readv", {}},
      {"BIO_read", {}},
      {"SSL_read", {"proxy/net/byte_stream.cpp", "gateway/ingress/client_tls.cpp"}},
      {"SSL_read_ex", {}},
      {"SSL_peek", {"proxy/net/byte_stream.cpp"}},
      {"plain_read", {"proxy/net/byte_stream.cpp", "proxy/net/socket_io.cpp", "proxy/net/socket_io.hpp"}},
      {"read_some",
       {"proxy/net/byte_stream.cpp", "proxy/net/byte_stream.hpp", "proxy/http2/http2_connection.cpp", "proxy/net/tunnel.cpp",
        "gateway/http/client_connection.cpp", "gateway/store/store_link.cpp"}},  // this code returns to the event loop after each read
      {"async_read_some", {"gateway/simulator/client_link.cpp"}},  // an asynchronous read always completes through the event loop
      {"async_read", {}},
      {"async_read_until", {}},
      {"async_receive", {}},
      // Code may call at_once() only if no wait is needed, because the bytes are already buffered or because the code reads no bytes.
      {"at_once",
       {"proxy/loop/at_once.hpp", "proxy/http/http1_exchange.cpp", "proxy/http2/http2_exchange.cpp", "proxy/upstream_call.cpp",
        "gateway/attempts/refused_upstream.hpp"}},
  };
  return all;
}

// Files whose hash tables an attacker cannot fill with chosen keys. The keys come only from the configuration or from the gateway itself,
// or the program has no untrusted peers.
constexpr std::array<std::string_view, 13> places_without_strangers{
    "gateway/bench/", "gateway/commands/", "gateway/simulator/",
    "gateway/config/yaml/yaml_tree.cpp",          // the keys of the hash table come from the operator's own file
    "gateway/config/access/access_key_list.hpp",  // the keys of the hash table are names of certificates in the configuration
    "gateway/attempts/flight_counts.hpp",         // providers
    "gateway/attempts/step_reporter.hpp",         // the keys in step_reporter.hpp and in the files of racing/ are the targets of routes
    "racing/adaptive/forecast_board.hpp", "racing/adaptive/forecast_keeper.hpp", "racing/adaptive/forecast_keeper.cpp",
    "racing/forecast/forecaster.hpp",
    "gateway/page/live_races.hpp",                // the keys in live_races.hpp and receipt_store.hpp are the ids of races
    "gateway/housekeeping/stores/receipt_store.hpp"};

}  // namespace

// The hash functions of libstdc++ use no secret. An attacker needs about a millisecond to find another text with the same hash. A table
// with 25,000 such texts takes seconds to fill.
violations tables_that_peers_can_slow_down(const source_tree& tree) {
  static const std::regex table(R"re(\bunordered_(map|set)<(std::string|std::string_view|std::int64_t)\b)re");
  const auto is_without_strangers = [](const std::string& path) {
    return std::any_of(places_without_strangers.begin(), places_without_strangers.end(),
                       [&path](std::string_view place) { return path.starts_with(place); });
  };
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source() || !file.is_product() || is_without_strangers(path)) continue;
    for (std::size_t at = 0; at < file.code.size(); ++at)
      if (file.code[at].find("unordered_") != std::string::npos && std::regex_search(file.code[at], table))
        found.push_back({path, at + 1, "a peer that chooses the keys makes this table slow: use std::map or std::set"});
  }
  return found;
}

violations reads_beside_the_doors(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source() || !file.is_product()) continue;
    for (const door& each : doors()) {
      if (std::find(each.files.begin(), each.files.end(), path) != each.files.end()) continue;
      const std::string text = joined(file);
      each_word(text, each.call, [&](std::size_t at) {
        if (text[at + each.call.size()] != '(') return;
        found.push_back({path, line_of(text, at), std::string(each.call) + ": a peer could keep the thread to itself; " +
                                                      "read by byte_stream or client_connection (docs/decisions/0011)"});
      });
    }
  }
  return found;
}

violations awaits_in_conditions(const source_tree& tree) {
  constexpr std::string_view why = "a condition that awaits: GCC 12.2 miscompiles it; name the result, then test it";
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    const std::string text = joined(file);
    for (const std::string_view word : {"while", "if", "for", "switch"})
      each_word(text, word, [&](std::size_t at) {
        if (brackets_behind(text, at + word.size()).find("co_await") != std::string_view::npos)
          found.push_back({path, line_of(text, at), std::string(why)});
      });
    each_word(text, "co_await", [&](std::size_t at) {
      if (is_behind_a_choice(text, at)) found.push_back({path, line_of(text, at), std::string(why)});
    });
  }
  return found;
}

violations temporaries_in_awaits(const source_tree& tree) {
  return awaited_where(
      tree, [](const std::string& awaited) { return std::regex_search(awaited, temporary()); },
      "GCC 12.2 destroys an aggregate or a capturing lambda made inside a co_await twice: name it first");
}

violations choices_in_awaits(const source_tree& tree) {
  return awaited_where(
      tree, [](const std::string& awaited) { return awaited.find('?') != std::string::npos; },
      "GCC 12.2 makes both of two temporaries that a co_await chooses between: choose first, then await");
}

// A range-based `for` extends the lifetime of its range expression's result. If the result is a part of a temporary object, that object
// dies before the loop runs (until C++23).
violations loops_over_parts_of_parsed_texts(const source_tree& tree) {
  constexpr std::string_view parse = "json::parse";
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    const std::string text = joined(file);
    each_word(text, "for", [&](std::size_t at) {
      const std::string_view head = brackets_behind(text, at + 3);
      const std::size_t range = head.find(" : " + std::string(parse));
      if (range == std::string_view::npos) return;
      const std::string_view parsed = head.substr(range + 3 + parse.size());
      const std::size_t behind = brackets_behind(parsed, 0).size();
      if (behind < parsed.size() && (parsed[behind] == '.' || parsed[behind] == '['))
        found.push_back({path, line_of(text, at), "the parsed text is gone when the loop begins: name it first"});
    });
  }
  return found;
}

// Neither `= {}` nor the assignment of an empty std::string releases the memory of a string. libstdc++ treats `{}` as an empty list of
// characters, and copies an empty string that is moved in. Both keep the capacity.
violations strings_that_keep_their_room(const source_tree& tree) {
  static const std::regex given_nothing(
      R"re((?:^|[;{})]|\belse\b)\s*(\w+(?:\.|->))*(\w+)\s*=\s*(\{\}|std::string\(\)|std::string\{\});)re");
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source() || !file.is_product()) continue;
    for (std::size_t at = 0; at < file.code.size(); ++at) {
      const std::string& line = file.code[at];
      std::smatch parts;
      if (line.find(" = ") == std::string::npos || !std::regex_search(line, parts, given_nothing)) continue;
      if (parts[3] != "{}" || (!parts[1].matched && is_always_a_string(tree, file, parts[2])))
        found.push_back({path, at + 1, "keeps the string's room: clear() and shrink_to_fit(), or clear()"});
    }
  }
  return found;
}

// Finds coroutines that start without an awaiter. If an allocation fails in one of them, the coroutine ends silently. This can stop a
// listener, or work that a request waits for.
violations dropped_exceptions(const source_tree& tree) {
  constexpr std::string_view helper = "proxy/loop/spawn.hpp";
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source() || !file.is_product() || path == helper) continue;
    const std::string text = joined(file);
    each_word(text, "co_spawn", [&](std::size_t at) {
      const std::string_view given = brackets_behind(text, at + std::string_view("co_spawn").size());
      if (!given.empty() && given.find("use_awaitable") == std::string_view::npos)
        found.push_back({path, line_of(text, at), "an exception may be lost: use proxy::spawn() or spawn_vital()"});
    });
    each_word(text, "exception_ptr", [&](std::size_t at) {
      if (is_parameter_of_a_lambda(text, at) && !is_looked_at(text, at))
        found.push_back({path, line_of(text, at), "the exception is dropped: report it, or take no parameter"});
    });
  }
  return found;
}

violations banned_words(const source_tree& tree) {
  violations found;
  const auto look = [&](const source_file& file, std::size_t line, std::string_view text) {
    for (const ban& each : bans)
      if (text.find(each.text) != std::string_view::npos)
        found.push_back({file.path, line, std::string(each.text) + ": " + std::string(each.why)});
  };
  for (const auto& [path, file] : tree.files) {
    if (!file.is_source()) continue;
    for (std::size_t i = 0; i < file.code.size(); ++i)
      if (!file.code[i].starts_with("#include")) look(file, i + 1, file.code[i]);
    for (const include_line& each : file.includes) look(file, each.line, each.name);
  }
  return found;
}

}  // namespace photofinish::style
