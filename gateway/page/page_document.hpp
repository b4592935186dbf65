// The live page as one document that contains its styles and scripts, and a content security policy that allows only
// these styles and scripts. The build embeds the files of this folder into the binary.
#pragma once

#include <string>

namespace photofinish::gateway {

struct page_document {
  std::string html;
  std::string policy;  // value of the header content-security-policy
};

// Returns the page. The first call builds the page. Any thread may call this function.
const page_document& live_page();

}  // namespace photofinish::gateway
