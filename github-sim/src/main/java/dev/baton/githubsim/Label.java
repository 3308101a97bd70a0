package dev.baton.githubsim;

import java.util.Optional;

record Label(long id, String name, String color, Optional<String> description) {}
