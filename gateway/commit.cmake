# Finds the commit that `photofinish version` and photofinish_build_info report. It comes from git, or from an
# environment variable if there is no repository, as in the build of the image.
function(find_commit folder into)
  execute_process(COMMAND git -C ${folder} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT found)
    set(found "$ENV{PHOTOFINISH_COMMIT}")
  endif()
  if(NOT found MATCHES "^[0-9a-f]+$")  # the text becomes a part of a C++ string
    set(found unknown)
  endif()
  set(${into} ${found} PARENT_SCOPE)
endfunction()
