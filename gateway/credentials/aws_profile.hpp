// Reads profiles of the AWS command line, from ~/.aws/credentials and ~/.aws/config. [pure]
#pragma once

#include "gateway/credentials/obtained.hpp"

#include <string_view>

namespace photofinish::gateway {

// Returns the keys of the profile with that name. In the text of the credentials file, the section is named `NAME`; in
// the config file, `profile NAME`. The result is "absent" if neither text has the profile. It is "refused" if the
// profile gets its keys from elsewhere (a role, a program or a sign-in).
obtaining read_aws_profile(std::string_view credentials_text, std::string_view config_text, std::string_view name);

}  // namespace photofinish::gateway
