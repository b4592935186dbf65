#include "gateway/page/page_document.hpp"

#include "gateway/config/access/access_key_list.hpp"
#include "proxy/json/base64.hpp"

#include <string_view>

namespace photofinish::gateway {

// The build generates these texts of the page from page_text.cpp.in.
extern const std::string_view page_html, page_boot, page_styles, page_script, chart_styles, chart_script;

namespace {

// Returns the expression in a content security policy that allows this inline script or style.
std::string source_of(std::string_view text) {
  const key_digest hash = digest_of_key(text);
  return "'sha256-" +
         proxy::base64_encoded({reinterpret_cast<const char*>(hash.data()), hash.size()},
                               proxy::base64_padding::wanted) +
         "'";
}

void put(std::string& html, std::string_view mark, std::string_view text) {
  html.replace(html.find(mark), mark.size(), text);
}

page_document put_together() {
  page_document made{std::string(page_html), {}};
  std::string styles = std::string(chart_styles).append(page_styles);
  std::string script = std::string(chart_script).append(page_script);
  put(made.html, "/*styles*/", styles);
  put(made.html, "/*script*/", script);
  put(made.html, "/*boot*/", page_boot);
  made.policy = "default-src 'none'; script-src " + source_of(page_boot) + " " + source_of(script) +
                "; style-src " + source_of(styles) +
                "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return made;
}

}  // namespace

const page_document& live_page() {
  static const page_document page = put_together();
  return page;
}

}  // namespace photofinish::gateway
