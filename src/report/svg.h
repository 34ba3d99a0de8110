// A small drawing helper: shapes and texts in, one SVG file out. Coordinates are pixels from the
// upper left corner.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace nw {

enum class Anchor { Start, Middle, End };

class SvgDrawing {
public:
  SvgDrawing(int width, int height);

  void line(double x1, double y1, double x2, double y2, const std::string &color, double width = 1);
  void polyline(const std::vector<std::pair<double, double>> &points, const std::string &color,
                double width = 1.5);
  void circle(double x, double y, double radius, const std::string &color);
  void rectangle(double x, double y, double width, double height, const std::string &color);
  void text(double x, double y, const std::string &words, Anchor anchor = Anchor::Start,
            int size = 12);
  // Reads from below to above.
  void uprightText(double x, double y, const std::string &words, int size = 12);

  std::string svg() const;

private:
  int width, height;
  std::string body;
};

// A text as it may stand in XML; what XML cannot hold becomes a question mark.
std::string escapedXml(const std::string &text);

} // namespace nw
