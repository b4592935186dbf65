// The formats of log lines. [pure]
#pragma once

namespace photofinish::gateway {

enum class log_form {
  text,    // for people
  logfmt,  // lines for grep and for tools that read logfmt
  json,    // lines for log collectors
};

}  // namespace photofinish::gateway
