@rem Called by gradlew.bat, after it has found Java. Fails when there is no Gradle to be had.
@echo off
setlocal enabledelayedexpansion

@rem Gradle 8.8 runs on these; a test compares the two below with gradle-wrapper.properties.
set OLDEST_JAVA=17
set NEWEST_JAVA=22
set DISTRIBUTION=gradle-8.8-bin\dl7vupf4psengwqhwktix4v1
set GRADLE=gradle-8.8

set JAVA_FOUND=
for /f "tokens=3" %%v in ('"%JAVA_EXE%" -version 2^>^&1 ^| findstr /c:" version "') do set JAVA_FOUND=%%~v
for /f "tokens=1,2 delims=.-_" %%a in ("%JAVA_FOUND%") do (
    set JAVA_NUMBER=%%a
    if "%%a"=="1" set JAVA_NUMBER=%%b
)
set SUITABLE=0
if defined JAVA_NUMBER if !JAVA_NUMBER! geq %OLDEST_JAVA% if !JAVA_NUMBER! leq %NEWEST_JAVA% set SUITABLE=1
if %SUITABLE%==0 (
    echo ERROR: This build needs a JDK of version %OLDEST_JAVA% to %NEWEST_JAVA%; %JAVA_EXE% is !JAVA_FOUND!. 1>&2
    echo Install one and set JAVA_HOME to its directory. 1>&2
    exit /b 1
)

@rem A user home that is given on the command line is not seen here: set GRADLE_USER_HOME.
set USER_HOME=%GRADLE_USER_HOME%
if not defined USER_HOME set USER_HOME=%USERPROFILE%\.gradle
set DIST=%USER_HOME%\wrapper\dists\%DISTRIBUTION%
if not exist "%DIST%\%GRADLE%-bin.zip.ok" goto provide
if not exist "%DIST%\%GRADLE%\.from-maven-1" (
    if exist "%DIST%\%GRADLE%\LICENSE" if exist "%DIST%\%GRADLE%\lib\gradle-launcher-8.8.jar" exit /b 0
    goto provide
)
set /p FILES_WRITTEN=<"%DIST%\%GRADLE%\.from-maven-1"
for /f %%n in ('dir /b "%DIST%\%GRADLE%\lib" ^| find /c /v ""') do if "%%n"=="%FILES_WRITTEN%" exit /b 0

:provide
"%JAVA_EXE%" --list-modules | findstr /b "jdk.compiler@" >NUL || (
    echo ERROR: A JDK is needed; %JAVA_EXE% has no compiler. Set JAVA_HOME to a JDK and try again. 1>&2
    exit /b 1
)
"%JAVA_EXE%" "%APP_HOME%\gradle\bootstrap\src\main\java\dev\baton\bootstrap\GradleFromMaven.java" --wrapper "%APP_HOME%\gradle\wrapper\gradle-wrapper.properties" --user-home "%USER_HOME%" -- %JAVA_OPTS% %GRADLE_OPTS% %*
