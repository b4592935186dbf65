// The form of log lines. [pure]
#pragma once

namespace photofinish::gateway {

enum class log_form {
  text,    // for people
  logfmt,  // for grep and tools that read logfmt
  json,    // for log collectors
};

}  // namespace photofinish::gateway
