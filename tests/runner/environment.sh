#!/usr/bin/env bash
# Sets the folder of recordings and the options of the sanitizers. The runners source this file, and must set `root`
# first.

# Recorded answers of real providers, if they lie next to the project. PHOTOFINISH_RECORDINGS may name another folder,
# or no folder.
recorded=$root/../shared/recordings
if [ -z "${PHOTOFINISH_RECORDINGS+set}" ] && [ -d "$recorded" ]; then
  PHOTOFINISH_RECORDINGS=$(cd -- "$recorded" && pwd -P)
  export PHOTOFINISH_RECORDINGS
fi

export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS-second_deadlock_stack=1:halt_on_error=1}
