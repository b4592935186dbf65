// The content of a conversation, independent of any API. A test writes this content as a client's request, and compares it with the
// provider's request.
#pragma once

#include <nlohmann/json.hpp>

#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace photofinish::proxy::pairs {

using nlohmann::json;

enum class speaks_as { system, developer, user, assistant, tool };
enum class says { text, image, document, call, result };

// One item of a conversation. `text` contains a text, an image or document in base64, or the arguments of a call as JSON.
struct spoken_item {
  speaks_as who = speaks_as::user;
  says what = says::text;
  std::string text;
  std::string name = {};  // name of a tool, or file name of a document
  std::string id = {};    // id of a tool call; the result of the call has the same id
};

struct dialogue {
  std::vector<spoken_item> items;
  std::vector<std::string> tools;
  std::string forced = {};  // name of the tool that the model must call; "any" permits every tool
  json schema = {};         // the required schema of the answer; null permits any text
  std::vector<std::string> stops;
  std::int64_t max_tokens = 0;
};

inline spoken_item system(std::string text) { return {speaks_as::system, says::text, std::move(text)}; }
inline spoken_item developer(std::string text) { return {speaks_as::developer, says::text, std::move(text)}; }
inline spoken_item user(std::string text) { return {speaks_as::user, says::text, std::move(text)}; }
inline spoken_item answer(std::string text) { return {speaks_as::assistant, says::text, std::move(text)}; }
inline spoken_item image(std::string base64) { return {speaks_as::user, says::image, std::move(base64)}; }
inline spoken_item document(std::string base64, std::string file) {
  return {speaks_as::user, says::document, std::move(base64), std::move(file)};
}
inline spoken_item call(std::string id, std::string name, std::string arguments) {
  return {speaks_as::assistant, says::call, std::move(arguments), std::move(name), std::move(id)};
}
inline spoken_item result(std::string id, std::string text) {
  return {speaks_as::tool, says::result, std::move(text), {}, std::move(id)};
}

// Replaces each run of white space by one space, and removes white space at both ends, because each API joins texts differently.
inline std::string plain(const std::string& text) {
  std::string made;
  for (const char each : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(each)) != 0;
    if (!is_space) made.push_back(each);
    else if (!made.empty() && made.back() != ' ') made.push_back(' ');
  }
  if (made.ends_with(' ')) made.pop_back();
  return made;
}

// Returns the items of a conversation as comparable lines. Instructions come first, and consecutive texts of the same role are joined. The
// line of a tool result contains the name of the called tool. Blank texts are left out, because they only fill required members.
inline std::vector<std::string> lines_of(const dialogue& all) {
  std::map<std::string, std::string> names;
  std::string instructions;
  std::vector<std::string> lines;
  std::string last;
  for (const spoken_item& each : all.items) {
    const bool is_instruction = each.who == speaks_as::system || each.who == speaks_as::developer;
    std::string line = plain(each.text), kind;
    if (is_instruction) instructions += (instructions.empty() ? "" : " ") + line;
    if (is_instruction || (each.what == says::text && line.empty())) continue;
    switch (each.what) {
      case says::text: kind = each.who == speaks_as::user ? "user: " : "assistant: "; break;
      case says::image: kind = "image: "; break;
      case says::document: kind = "document: "; break;
      case says::call:
        kind = "call of " + each.name + ": ";
        line = json::parse(each.text).dump();
        names[each.id] = each.name;
        break;
      case says::result: kind = "result of " + (each.name.empty() ? names[each.id] : each.name) + ": "; break;
    }
    if (each.what == says::text && last == kind) lines.back() += " " + line;
    else lines.push_back(kind + line);
    last = kind;
  }
  if (!instructions.empty()) lines.insert(lines.begin(), "instructions: " + instructions);
  return lines;
}

}  // namespace photofinish::proxy::pairs
