# libarchive inside a program. The shared library brings XML, ICU and C++ with it for formats that nobody here reads, and
# loading them took 2 of the 3.4 ms in which the command line starts; of the static one a program takes what it calls.
option(SPGM_ARCHIVE_INSIDE "Link the command line with a static libarchive, where there is one" ON)
set(SPGM_ARCHIVE PkgConfig::ARCHIVE)
find_library(SPGM_ARCHIVE_FILE NAMES libarchive.a)
mark_as_advanced(SPGM_ARCHIVE_FILE)
if(SPGM_ARCHIVE_INSIDE AND SPGM_ARCHIVE_FILE)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${SPGM_ARCHIVE_FILE} bz2 lzma zstd z)
  set(CMAKE_REQUIRED_INCLUDES ${ARCHIVE_INCLUDE_DIRS})
  check_c_source_compiles("
    #include <archive.h>
    int main(void) {
        struct archive *in = archive_read_new(), *out = archive_write_new();
        return archive_read_support_filter_bzip2(in) + archive_read_support_filter_xz(in) +
               archive_read_support_filter_zstd(in) + archive_read_support_format_raw(in) +
               archive_read_support_format_empty(in) + archive_write_add_filter_bzip2(out) +
               archive_write_add_filter_xz(out) + archive_write_add_filter_zstd(out) +
               archive_write_add_filter_gzip(out) + archive_write_set_format_raw(out);
    }" SPGM_ARCHIVE_LINKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_INCLUDES)
  if(SPGM_ARCHIVE_LINKS)
    set(SPGM_ARCHIVE ${SPGM_ARCHIVE_FILE} bz2 lzma zstd)
  endif()
endif()
