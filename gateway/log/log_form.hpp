// How log lines look. [pure]
#pragma once

namespace photofinish::gateway {

enum class log_form {
  text,    // for people
  logfmt,  // for grep and logfmt's readers
  json,    // for collectors
};

}  // namespace photofinish::gateway
