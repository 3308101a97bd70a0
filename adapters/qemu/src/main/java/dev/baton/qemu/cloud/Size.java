package dev.baton.qemu.cloud;

import dev.baton.core.Checks;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an instance type says: processors and memory, such as {@code 2x4g} or {@code 1x512m}. */
record Size(int cpus, int memoryMb) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,4})x([0-9]{1,8})([mg])");

  Size {
    if (cpus < 1 || cpus > 1_024 || memoryMb < 64 || memoryMb > 16 << 20) {
      throw new IllegalArgumentException(
          "a VM has 1 to 1024 processors and 64m to 16384g of memory, not "
              + cpus
              + " and "
              + memoryMb
              + "m");
    }
  }

  /**
   * @throws IllegalArgumentException when it is not a size
   */
  static Size of(String type) {
    Matcher m = FORM.matcher(type.toLowerCase(Locale.ROOT));
    if (!m.matches()) {
      throw new IllegalArgumentException("unknown instance type " + Checks.shown(type));
    }
    long memory = Long.parseLong(m.group(2)) * (m.group(3).equals("g") ? 1024 : 1);
    return new Size(Integer.parseInt(m.group(1)), (int) Math.min(memory, Integer.MAX_VALUE));
  }

  @Override
  public String toString() {
    return cpus + "x" + (memoryMb % 1024 == 0 ? memoryMb / 1024 + "g" : memoryMb + "m");
  }
}
