// A request written anew in another format, and what that format could not say. [pure]
#pragma once

#include <string>
#include <vector>

namespace photofinish::proxy {

struct translated_text {
  std::string json;                  // without model and stream, which an attempt adds
  std::vector<std::string> dropped;  // what was left out, and makes the answer no worse: x-race-dropped
  std::string unsupported;           // what the client asks for, and the format has no words for; empty: nothing
};

}  // namespace photofinish::proxy
