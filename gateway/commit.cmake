# The commit that `photofinish version` and photofinish_build_info name: git's, or where there is not a repository (the
# image's build) what the environment says.
function(find_commit folder into)
  execute_process(COMMAND git -C ${folder} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT found)
    set(found "$ENV{PHOTOFINISH_COMMIT}")
  endif()
  if(NOT found MATCHES "^[0-9a-f]+$")  # it becomes a string of C++
    set(found unknown)
  endif()
  set(${into} ${found} PARENT_SCOPE)
endfunction()
